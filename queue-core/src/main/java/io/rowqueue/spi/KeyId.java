package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import java.nio.ByteBuffer;

/**
 * The number of a key in its keyset, which every payload that it sealed begins with. No secret.
 *
 * @param value the four bytes as a number
 */
public record KeyId(int value) {

  /** The bytes of a sealed payload that {@link #of} reads: one for the form, and the number. */
  public static final int PREFIX_BYTES = 5;

  /**
   * That of the key which sealed {@code sealed}.
   *
   * @throws PayloadException if they begin with none
   */
  public static KeyId of(byte[] sealed) {
    // Tink's forms: 1 is its own, 0 that of keys which came from elsewhere.
    if (sealed.length < PREFIX_BYTES || sealed[0] < 0 || sealed[0] > 1) {
      throw new PayloadException("the payload does not begin with the id of a key");
    }
    return new KeyId(ByteBuffer.wrap(sealed, 1, Integer.BYTES).getInt());
  }

  /**
   * The key that operators call {@code text}: eight hexadecimal digits behind 0x, or the number as
   * keysets write it.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static KeyId parse(String text) {
    try {
      return new KeyId(
          text.startsWith("0x")
              ? Integer.parseUnsignedInt(text.substring(2), 16)
              : Integer.parseUnsignedInt(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'%s' is no key's id; ids are as in 0x1a2b3c4d, or 439041101".formatted(text), e);
    }
  }

  /** As operators name it, such as {@code 0x1a2b3c4d}. */
  @Override
  public String toString() {
    return "0x%08x".formatted(value);
  }
}
