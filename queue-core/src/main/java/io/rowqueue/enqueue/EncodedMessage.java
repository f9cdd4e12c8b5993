package io.rowqueue.enqueue;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.Headers;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.wrap.Wrapping;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * A message as the columns take it, within its limits.
 *
 * @param place where it stands among those of its call that share its ordering key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EncodedMessage(
    String topic,
    int priority,
    @Nullable LocalDateTime dueAt,
    long delayMicros,
    @Nullable String headers,
    byte[] payload,
    @Nullable Deduplication deduplication,
    @Nullable String orderingKey,
    @Nullable Long batchId,
    LinePlace place) {

  /** What a row's other values may take in a packet, in bytes, generously. */
  private static final int ROW_BYTES = 256;

  private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /** As a producer writes it; see {@link EncodedBody#of}. */
  static EncodedMessage of(
      NewMessage message, PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    return of(message, EncodedBody.of(message, codec, wrapping, limits), limits);
  }

  /** The same with the body that it has already. */
  static EncodedMessage of(NewMessage message, EncodedBody body, MessageLimits limits) {
    String headers = Headers.toJson(body.headers());
    limits.check(message.topic(), body.payload(), headers);
    return new EncodedMessage(
        message.topic().name(),
        message.priority(),
        dueAt(message),
        DatabaseClock.micros(message.delay()),
        headers,
        body.payload(),
        message.deduplication(),
        message.orderingKey(),
        message.batchId(),
        LinePlace.NONE);
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
        deduplication,
        orderingKey,
        batchId,
        place);
  }

  /** The same, due now, at {@code other} in its line. */
  EncodedMessage inLine(LinePlace other) {
    return new EncodedMessage(
        topic, priority, null, 0, headers, payload, deduplication, orderingKey, batchId, other);
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
      statement.setObject(parameter++, dueAt);
      statement.setObject(parameter++, dueAt);
    } else if (delayMicros > 0) {
      statement.setLong(parameter++, delayMicros);
    }
    return parameter;
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
}
