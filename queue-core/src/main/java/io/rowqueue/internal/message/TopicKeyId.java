package io.rowqueue.internal.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The primary key of the row of a topic's deduplication or ordering key: the first half of SHA-256
 * over the topic, a zero byte and the key. Sorts as the servers do, which is the order of locks.
 * Immutable.
 */
public final class TopicKeyId implements Comparable<TopicKeyId> {

  private static final int BYTES = 16;

  private final byte[] bytes;

  private TopicKeyId(byte[] bytes) {
    this.bytes = bytes;
  }

  public static TopicKeyId of(byte[] bytes) {
    return new TopicKeyId(bytes);
  }

  public static TopicKeyId of(String topic, String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(topic.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(key.getBytes(StandardCharsets.UTF_8));
      return new TopicKeyId(Arrays.copyOf(digest.digest(), BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform supports SHA-256", e);
    }
  }

  /** The internal array; callers must not change it. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(TopicKeyId other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TopicKeyId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
