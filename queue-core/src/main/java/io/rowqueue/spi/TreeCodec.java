package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import io.rowqueue.handler.Upcasters;
import java.lang.reflect.Type;
import java.util.Map;

/**
 * A codec whose bytes can be read as an object of names and values before they are converted to a
 * type, so that {@link Upcasters} can change it. {@link PayloadCodec#json()} is one. Thread-safe
 * like every codec.
 */
public interface TreeCodec extends PayloadCodec {

  /**
   * Decodes {@code bytes} to an object that consists of texts, numbers, booleans, nulls, lists and
   * objects; the caller may change all of it. Whole numbers are Integers, Longs or BigIntegers,
   * whichever is wide enough, and others are BigDecimals, which keep every digit.
   *
   * @throws PayloadException if the bytes are not an object
   */
  Map<String, Object> readTree(byte[] bytes);

  /**
   * Converts {@code tree} to {@code type}; never null.
   *
   * @throws PayloadException if the tree cannot be converted to {@code type}
   */
  Object decode(Map<String, Object> tree, Type type);
}
