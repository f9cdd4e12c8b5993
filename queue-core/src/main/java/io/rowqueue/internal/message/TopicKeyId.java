package io.rowqueue.internal.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A key of a topic as its row's primary key has it: the first half of SHA-256 over topic, a zero
 * byte and key. In the order in which the servers have them, which is the order in which they are
 * locked. Immutable.
 */
public final class TopicKeyId implements Comparable<TopicKeyId> {

  private static final int BYTES = 16;

  private final byte[] bytes;

  private TopicKeyId(byte[] bytes) {
    this.bytes = bytes;
  }

  /** That of a row. */
  public static TopicKeyId of(byte[] bytes) {
    return new TopicKeyId(bytes);
  }

  /** That of {@code key} in {@code topic}. */
  public static TopicKeyId of(String topic, String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(topic.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(key.getBytes(StandardCharsets.UTF_8));
      return new TopicKeyId(Arrays.copyOf(digest.digest(), BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(TopicKeyId other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  /** For logs: hexadecimal. */
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
