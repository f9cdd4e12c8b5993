package io.rowqueue.spi;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.JsonPayloadCodec;
import java.lang.reflect.Type;

/**
 * Encodes payloads to the bytes of the {@code payload} column and decodes them. Implementations
 * must be thread-safe, and must never instantiate a type named by the bytes: the type comes from
 * the caller.
 */
public interface PayloadCodec {

  /**
   * Encodes {@code payload}.
   *
   * @throws PayloadException if the payload cannot be encoded
   */
  byte[] encode(Object payload);

  /**
   * Encodes {@code payload} where a {@code type} is expected: the declared type may contain more
   * than the class, such as the type of a list's elements. By default it is ignored.
   *
   * @throws PayloadException if the payload cannot be encoded
   */
  default byte[] encode(Object payload, Type type) {
    return encode(payload);
  }

  /**
   * Checks, before the first message, that payloads of {@code type} can be decoded correctly.
   *
   * @throws PayloadException if not; its message says what to change
   */
  default void check(Type type) {
    // A codec that cannot check accepts every type.
  }

  /**
   * Decodes {@code bytes} to {@code type}; never null.
   *
   * @throws PayloadException if the bytes cannot be decoded to {@code type}
   */
  Object decode(byte[] bytes, Type type);

  /**
   * UTF-8 JSON by Jackson 2; {@code byte[]} payloads pass through unchanged. Unknown fields are
   * ignored, and times are text. Modules of Jackson on the class path are used, such as Kotlin's.
   */
  static PayloadCodec json() {
    return JsonPayloadCodec.INSTANCE;
  }

  /**
   * JSON by the application's own mapper of Jackson 2, with its settings, modules and limits;
   * {@code byte[]} payloads pass through unchanged. Producers and handlers of a topic need the
   * settings of one another. Do not change {@code mapper} afterwards.
   *
   * @throws IllegalArgumentException if its default typing lets payloads name classes
   */
  static PayloadCodec json(ObjectMapper mapper) {
    return new JsonPayloadCodec(mapper);
  }
}
