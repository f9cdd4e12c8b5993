package io.rowqueue.enqueue;

import io.rowqueue.message.Headers;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.message.Versions;
import io.rowqueue.wrap.Wrapped;
import io.rowqueue.wrap.Wrapping;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message as the columns take it, within its limits. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EncodedMessage(
    String topic,
    int priority,
    @Nullable LocalDateTime dueAt,
    long delayMicros,
    @Nullable String headers,
    byte[] payload) {

  /** What a row's other values may take in a packet, in bytes, generously. */
  private static final int ROW_BYTES = 256;

  private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /** Unwrapped and wrapped it must be within the limits, which are the workers', too. */
  static EncodedMessage of(
      NewMessage message, PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    byte[] encoded = codec.encode(message.payload());
    limits.check(message.topic(), encoded, null);
    int version = version(message);
    Wrapped wrapped = wrapping.wrap(message.topic(), encoded, version);
    byte[] payload = wrapped.payload();
    String headers = Headers.toJson(headers(message, version, wrapped.mark()));
    limits.check(message.topic(), payload, headers);
    return new EncodedMessage(
        message.topic().name(),
        message.priority(),
        dueAt(message),
        micros(message.delay()),
        headers,
        payload);
  }

  /** The caller's word goes before the type's. */
  private static int version(NewMessage message) {
    return message.headers().containsKey(Headers.VERSION)
        ? Versions.of(message.headers())
        : Versions.of(message.payload().getClass());
  }

  /** The caller's, and what readers must know of the payload. */
  private static Map<String, String> headers(
      NewMessage message, int version, @Nullable String mark) {
    if (mark == null && version == Versions.FIRST) {
      return message.headers();
    }
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    if (version != Versions.FIRST) {
      headers.put(Headers.VERSION, Integer.toString(version));
    }
    if (mark != null) {
      headers.put(Headers.WRAPPED, mark);
    }
    return headers;
  }

  /** About how many bytes of a packet the row takes; never less than it really does. */
  long packetBytes() {
    return ROW_BYTES + payload.length + (headers == null ? 0 : 4L * headers.length());
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

  private static long micros(Duration delay) {
    return delay.getSeconds() * 1_000_000L + delay.getNano() / 1_000L;
  }
}
