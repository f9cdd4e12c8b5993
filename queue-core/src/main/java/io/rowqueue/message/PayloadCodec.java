package io.rowqueue.message;

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
