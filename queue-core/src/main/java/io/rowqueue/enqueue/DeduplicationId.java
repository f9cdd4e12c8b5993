package io.rowqueue.enqueue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key of a topic as its row's primary key has it: the first half of SHA-256 over topic, a zero
 * byte and key. In the order in which the servers have them, which is the order in which producers
 * lock them.
 */
final class DeduplicationId implements Comparable<DeduplicationId> {

  private static final int BYTES = 16;

  private final byte[] bytes;

  private DeduplicationId(byte[] bytes) {
    this.bytes = bytes;
  }

  /** That of a row. */
  static DeduplicationId of(byte[] bytes) {
    return new DeduplicationId(bytes);
  }

  /** That of {@code key} in {@code topic}. */
  static DeduplicationId of(String topic, String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(topic.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(key.getBytes(StandardCharsets.UTF_8));
      return new DeduplicationId(Arrays.copyOf(digest.digest(), BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(DeduplicationId other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeduplicationId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
