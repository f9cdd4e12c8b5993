package io.rowqueue.internal.claim;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Locale;

/**
 * Who holds a claim: one life of one worker, as {@code hostname-pid-boot}. Host name and pid are
 * for people; in containers both come back after a restart, so the random boot suffix is what makes
 * a life unlike every other.
 *
 * @param value at most 64 lower-case ASCII characters, not empty, so that it serves as the name of
 *     a server lock as it is
 */
public record LockId(String value) {

  /** The longest that a server lock's name may be. */
  public static final int MAX_LENGTH = 64;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BOOT_BITS = 60;

  /** Checks that the servers would take {@code value} as the name of a lock. */
  public LockId {
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("a lock_id has 1 to 64 characters: '" + value + "'");
    }
    if (!value.matches("[a-z0-9._-]+")) {
      throw new IllegalArgumentException(
          "a lock_id has only a-z, 0-9, dot, underscore and dash: '" + value + "'");
    }
  }

  /**
   * A new life of the process {@code pid} on {@code host}. A long host name is shortened; never the
   * pid or the suffix.
   */
  public static LockId create(String host, long pid) {
    String suffix = "-" + pid + "-" + boot();
    String name = host.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._-]", "_");
    if (name.isEmpty()) {
      name = "host";
    }
    return new LockId(
        name.substring(0, Math.min(name.length(), MAX_LENGTH - suffix.length())) + suffix);
  }

  private static String boot() {
    String digits = new BigInteger(BOOT_BITS, RANDOM).toString(36);
    return "0".repeat(Math.max(0, 12 - digits.length())) + digits;
  }

  /** The bare value. */
  @Override
  public String toString() {
    return value;
  }
}
