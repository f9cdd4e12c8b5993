package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import java.nio.ByteBuffer;

/**
 * The number of a key in its keyset, with which every payload encrypted by it begins. Not a secret.
 *
 * @param value the four bytes as a number
 */
public record KeyId(int value) {

  /**
   * The bytes of an encrypted payload that {@link #of} reads: one for the format, and the number.
   */
  public static final int PREFIX_BYTES = 5;

  /**
   * The id of the key that encrypted {@code sealed}.
   *
   * @throws PayloadException if the bytes do not begin with one
   */
  public static KeyId of(byte[] sealed) {
    // Tink's formats: 1 is its own, 0 that of imported keys.
    if (sealed.length < PREFIX_BYTES || sealed[0] < 0 || sealed[0] > 1) {
      throw new PayloadException("the payload does not begin with the id of a key");
    }
    return new KeyId(ByteBuffer.wrap(sealed, 1, Integer.BYTES).getInt());
  }

  /**
   * Parses a key id: eight hexadecimal digits after 0x, or the number as in keysets.
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
          "'%s' is not a key id; ids are as in 0x1a2b3c4d, or 439041101".formatted(text), e);
    }
  }

  /** In hexadecimal, such as {@code 0x1a2b3c4d}. */
  @Override
  public String toString() {
    return "0x%08x".formatted(value);
  }
}
