package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.UtcInstantBinding;
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
 * A message as the columns take it, within its limits.
 *
 * @param external its payload, if that is not stored in its row
 * @param place where it stands among those of its call that share its ordering key
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

  /** What a row's other values may take in a packet, in bytes, generously. */
  private static final int ROW_BYTES = 256;

  private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * A payload that is stored separately from its message's row.
   *
   * @param topic of its message
   * @param source where its bytes come from
   * @param most how many it may have
   * @param store where it goes; null: into chunks
   */
  record ExternalBody(Topic topic, BodySource source, long most, @Nullable BodyStore store) {}

  static EncodedMessage of(NewMessage message, EncodedBody body, @Nullable ExternalBody external) {
    return new EncodedMessage(
        message.topic().name(),
        message.priority(),
        dueAt(message),
        DatabaseClock.micros(message.delay()),
        body.json(),
        body.payload(),
        external,
        message.deduplication(),
        message.orderingKey(),
        message.batchId(),
        GroupPosition.NONE);
  }

  /** The same, a member of what {@code other} is a member of: there it is counted. */
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

  /** The same, due when {@code other} is. */
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

  /** The same, due now, at {@code other} in its line. */
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

  /** About how many bytes of a packet the row takes; never less than it really does. */
  long packetBytes() {
    return ROW_BYTES + payload.length + (headers == null ? 0 : 4L * headers.length());
  }

  /** Whether it is due at another time than now. */
  boolean isDueLater() {
    return dueAt != null || delayMicros > 0;
  }

  /**
   * Binds when it is due from parameter {@code first} on: an instant twice, to be compared and to
   * be kept; or a delay in microseconds; or nothing.
   *
   * @return the parameter behind that
   */
  int bindDue(PreparedStatement statement, int first) throws SQLException {
    int parameter = first;
    if (dueAt != null) {
      String time = UtcInstantBinding.text(dueAt);
      statement.setString(parameter++, time);
      statement.setString(parameter++, time);
    } else if (delayMicros > 0) {
      statement.setLong(parameter++, delayMicros);
    }
    return parameter;
  }

  /** Whether it has the ordering key of {@code other}, and is of the same batch or chain. */
  boolean isInGroupsOf(EncodedMessage other) {
    return Objects.equals(orderingKey, other.orderingKey)
        && Objects.equals(lowestBatchId(), other.lowestBatchId());
  }

  /** Binds what such rows have from parameter {@code first} on: the key, and the batch thrice. */
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

  /** The first leaf of its batch, or its chain. */
  private @Nullable Long lowestBatchId() {
    return batchId == null || batchId < 0
        ? batchId
        : Long.valueOf(CounterShard.of(CounterShard.batch(batchId), 0));
  }

  private static @Nullable LocalDateTime dueAt(NewMessage message) {
    Instant dueAt = message.dueAt();
    if (dueAt == null) {
      return null;
    }
    if (dueAt.isBefore(EARLIEST) || dueAt.isAfter(LATEST)) {
      throw new InvalidMessageException(
          "the due time %s of a message to '%s' must lie between %s and %s"
              .formatted(dueAt, message.topic(), EARLIEST, LATEST));
    }
    return LocalDateTime.ofInstant(dueAt, ZoneOffset.UTC);
  }

  /** Where a message stands among those of its call that share its ordering key. */
  enum GroupPosition {
    /** It has no such key, or is due later and takes its place then. */
    NONE,
    /** It tells workers that its line has grown. */
    FIRST,
    /** It waits behind the first. */
    BEHIND
  }
}
