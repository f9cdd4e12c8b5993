package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.UtcText;
import io.rowqueue.spi.BodyStore;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message as stored in its columns, within the limits.
 *
 * @param external its external payload; null if the payload is stored in the row
 * @param place its position in the ordering group of its call
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedMessage(
    String topic,
    int priority,
    @Nullable LocalDateTime dueAt,
    long delayMicros,
    @Nullable String headers,
    byte[] payload,
    @Nullable ExternalBody external,
    @Nullable Deduplication deduplication,
    @Nullable String orderingKey,
    @Nullable Long batchId,
    GroupPosition place) {

  /** An upper bound for a row's other values in a packet, in bytes. */
  private static final int ROW_BYTES = 256;

  /**
   * A payload that is stored separately from its message's row.
   *
   * @param topic the topic of its message
   * @param source the source of its bytes
   * @param most the maximum number of bytes
   * @param store the store that keeps it; null to store it in chunks in the database
   */
  record ExternalBody(Topic topic, BodySource source, long most, @Nullable BodyStore store) {}

  static EncodedMessage of(NewMessage message, EncodedBody body, @Nullable ExternalBody external) {
    return new EncodedMessage(
        message.topic().name(),
        message.priority(),
        dueAt(message),
        Jdbc.micros(message.delay()),
        body.json(),
        body.payload(),
        external,
        message.deduplication(),
        message.orderingKey(),
        message.batchId(),
        GroupPosition.NONE);
  }

  /** A copy in the batch or chain of {@code other}, where it is counted. */
  EncodedMessage memberAs(EncodedMessage other) {
    return new EncodedMessage(
        topic,
        priority,
        dueAt,
        delayMicros,
        headers,
        payload,
        external,
        deduplication,
        orderingKey,
        other.batchId,
        place);
  }

  /** A copy with the due time of {@code other}. */
  EncodedMessage dueAs(EncodedMessage other) {
    return new EncodedMessage(
        topic,
        priority,
        other.dueAt,
        other.delayMicros,
        headers,
        payload,
        external,
        deduplication,
        orderingKey,
        batchId,
        place);
  }

  /** A copy that is due now, at position {@code other} in its ordering group. */
  EncodedMessage inGroup(GroupPosition other) {
    return new EncodedMessage(
        topic,
        priority,
        null,
        0,
        headers,
        payload,
        external,
        deduplication,
        orderingKey,
        batchId,
        other);
  }

  /** An upper bound for the bytes that the row takes in a packet. */
  long packetBytes() {
    return ROW_BYTES + payload.length + (headers == null ? 0 : 4L * headers.length());
  }

  /** Whether its row is all that is written for it. */
  boolean isPlain() {
    return external == null && deduplication == null && orderingKey == null;
  }

  /** Whether it has a due time or a delay. */
  boolean isDueLater() {
    return dueAt != null || delayMicros > 0;
  }

  /**
   * Binds the due time from parameter {@code first} on: an instant twice, for the comparison and
   * for the column; a delay once, in microseconds; otherwise nothing.
   *
   * @return the next parameter
   */
  int bindDue(PreparedStatement statement, int first) throws SQLException {
    int parameter = first;
    if (dueAt != null) {
      String time = UtcText.of(dueAt);
      statement.setString(parameter++, time);
      statement.setString(parameter++, time);
    } else if (delayMicros > 0) {
      statement.setLong(parameter++, delayMicros);
    }
    return parameter;
  }

  /** Whether it has the ordering key of {@code other}, and its batch or chain. */
  boolean isInGroupsOf(EncodedMessage other) {
    return Objects.equals(orderingKey, other.orderingKey)
        && Objects.equals(lowestBatchId(), other.lowestBatchId());
  }

  /**
   * Binds the values that {@link #isInGroupsOf} compares, from parameter {@code first} on: the
   * ordering key, the range of ids of its batch's shards, and its chain.
   */
  void bindGroups(PreparedStatement statement, int first) throws SQLException {
    Long lowest = lowestBatchId();
    Long highest =
        lowest == null || lowest < 0 ? lowest : Long.valueOf(lowest + CounterShard.MOST - 1);
    statement.setBytes(
        first, orderingKey == null ? null : orderingKey.getBytes(StandardCharsets.UTF_8));
    statement.setObject(first + 1, lowest);
    statement.setObject(first + 2, highest);
    statement.setObject(first + 3, lowest);
  }

  /** The id of its batch's first shard, or its negated chain id; null if it has neither. */
  private @Nullable Long lowestBatchId() {
    return batchId == null || batchId < 0
        ? batchId
        : Long.valueOf(CounterShard.of(CounterShard.batch(batchId), 0));
  }

  private static @Nullable LocalDateTime dueAt(NewMessage message) {
    Instant dueAt = message.dueAt();
    return dueAt == null ? null : LocalDateTime.ofInstant(dueAt, ZoneOffset.UTC);
  }

  /** The position of a message in the ordering group of its call. */
  enum GroupPosition {
    /** It has no ordering key, or joins its ordering group when it is due. */
    NONE,
    /** It is inserted as arriving, so that workers find its ordering group. */
    FIRST,
    /** It is blocked behind the first. */
    BEHIND
  }
}
