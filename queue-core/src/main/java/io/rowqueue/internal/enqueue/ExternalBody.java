package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.BodyStore;
import java.io.ByteArrayInputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload that lies beside its message's row.
 *
 * @param topic of its message
 * @param source where its bytes come from
 * @param most how many it may have
 * @param store where it goes; null: into chunks
 */
record ExternalBody(Topic topic, BodySource source, long most, @Nullable BodyStore store) {

  /** The length of what has not been read yet. */
  static final long UNKNOWN = -1;

  /** That of {@code message}, whose encoded payload is {@code bytes}; null if it fits its row. */
  static @Nullable ExternalBody of(NewMessage message, byte[] bytes, Encoding encoding) {
    if (bytes.length <= encoding.limits().bodyAbove() || mayReplace(message)) {
      return null;
    }
    return new ExternalBody(
        message.topic(),
        () -> new ByteArrayInputStream(bytes),
        bytes.length,
        encoding.place().of(bytes.length));
  }

  /** That of {@code message}, whose payload is {@code source}. */
  static ExternalBody of(NewMessage message, BodySource source, Encoding encoding) {
    if (mayReplace(message)) {
      throw new InvalidMessageException(
          "a streamed message to '%s' cannot replace another; enqueue it without replacing(), or as bytes"
              .formatted(message.topic()));
    }
    if (encoding.wrapping().wraps(message.topic())) {
      throw new InvalidMessageException(
          "payloads of '%s' are wrapped, which needs them as a whole; enqueue bytes, or stream what you have compressed or sealed yourself with a producer that does not wrap"
              .formatted(message.topic()));
    }
    return new ExternalBody(
        message.topic(), source, encoding.limits().streamedBytes(), encoding.place().of(UNKNOWN));
  }

  /** Whoever replaces a message changes its row, and cannot lock chunks that may not be there. */
  private static boolean mayReplace(NewMessage message) {
    return message.deduplication() != null && message.deduplication().replaces();
  }

  /** What the row has instead, of {@code headers} and where the payload is. */
  EncodedBody row(Map<String, String> headers) {
    Map<String, String> marked = new LinkedHashMap<>(headers);
    marked.put(Headers.BODY, store == null ? BodyLocations.ROWS : BodyLocations.STORED);
    return new EncodedBody(new byte[0], marked);
  }
}
