package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import io.rowqueue.handler.Upcasters;
import java.lang.reflect.Type;
import java.util.Map;

/**
 * A codec whose bytes can be read as an object of names and values before they become a type, so
 * that {@link Upcasters} can work on it. {@link PayloadCodec#json()} is one. Thread-safe like every
 * codec.
 */
public interface TreeCodec extends PayloadCodec {

  /**
   * The object that {@code bytes} stand for, down to texts, numbers, booleans, nulls, lists and
   * objects; its owner may change all of it. Whole numbers are Integers, Longs or BigIntegers,
   * whichever is wide enough, and others keep each digit, as BigDecimals do.
   *
   * @throws PayloadException if the bytes stand for no object
   */
  Map<String, Object> readTree(byte[] bytes);

  /**
   * The payload of type {@code type} that {@code tree} stands for; never null.
   *
   * @throws PayloadException if the tree does not stand for a {@code type}
   */
  Object decode(Map<String, Object> tree, Type type);
}
