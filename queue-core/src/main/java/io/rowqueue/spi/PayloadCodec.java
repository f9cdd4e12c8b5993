package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.JsonPayloadCodec;
import java.lang.reflect.Type;

/**
 * Turns payloads into the bytes of the {@code payload} column and back. Implementations are
 * thread-safe, and never instantiate a type that the bytes name: the type comes from the caller.
 */
public interface PayloadCodec {

  /**
   * The bytes that stand for {@code payload}.
   *
   * @throws PayloadException if the payload cannot be encoded
   */
  byte[] encode(Object payload);

  /**
   * The bytes that stand for {@code payload} where a {@code type} is expected: its declared type
   * may tell more than its class, such as the elements' of a list. A codec that does not care
   * leaves this as it is.
   *
   * @throws PayloadException if the payload cannot be encoded
   */
  default byte[] encode(Object payload, Type type) {
    return encode(payload);
  }

  /**
   * Checks, before any message comes, that payloads of {@code type} can be read as they were meant.
   *
   * @throws PayloadException if not; it says what to change
   */
  default void check(Type type) {
    // A codec that cannot tell takes every type.
  }

  /**
   * The payload of type {@code type} that {@code bytes} stand for; never null.
   *
   * @throws PayloadException if the bytes do not stand for a {@code type}
   */
  Object decode(byte[] bytes, Type type);

  /** UTF-8 JSON by way of Jackson; {@code byte[]} payloads pass through as they are. */
  static PayloadCodec json() {
    return JsonPayloadCodec.INSTANCE;
  }
}
