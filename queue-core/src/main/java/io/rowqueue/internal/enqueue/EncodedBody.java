package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.Versions;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapped;
import io.rowqueue.spi.Wrapping;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload as its column holds it, encoded and wrapped, and the headers that tell its readers how.
 * For the rooms that keep messages which are enqueued later.
 *
 * @param payload its bytes, within the limits
 * @param headers the message's own, and what readers must know of the payload
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedBody(byte[] payload, Map<String, String> headers) {

  /**
   * That of {@code message}. Unwrapped and wrapped its payload must be within the limits, which are
   * the workers', too.
   *
   * @throws InvalidMessageException if the payload exceeds them; whoever writes the headers down
   *     checks those
   * @throws io.rowqueue.PayloadException if it cannot be encoded
   */
  public static EncodedBody of(
      NewMessage message, PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    return of(message, encode(message, codec, limits), wrapping, limits);
  }

  /** The payload of {@code message} before it is wrapped; copies for several topics share it. */
  static byte[] encode(NewMessage message, PayloadCodec codec, MessageLimits limits) {
    if (message.payload() instanceof BodySource || message.payload() instanceof InputStream) {
      throw new InvalidMessageException(
          "a payload of '%s' is a stream, which has no place here; where streams are taken, enqueue NewMessage.streamed"
              .formatted(message.topic()));
    }
    Type type = message.payloadType();
    byte[] encoded =
        type == null ? codec.encode(message.payload()) : codec.encode(message.payload(), type);
    limits.check(message.topic(), encoded, null);
    return encoded;
  }

  /** That of {@code message}, whose payload is {@code encoded} already. */
  static EncodedBody of(
      NewMessage message, byte[] encoded, Wrapping wrapping, MessageLimits limits) {
    int version = version(message);
    Wrapped wrapped = wrapping.wrap(message.topic(), encoded, version);
    Map<String, String> headers = headers(message, version, wrapped.mark());
    limits.check(message.topic(), wrapped.payload(), null);
    return new EncodedBody(wrapped.payload(), headers);
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
}
