package io.rowqueue.internal.claim;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Locale;

/**
 * Identifies the holder of a claim: one run of one worker, as {@code hostname-pid-boot}. Host name
 * and pid are for operators; in containers both repeat after a restart, so the random boot suffix
 * makes each run unique.
 *
 * @param value at most 64 lower-case ASCII characters, not empty, so that it can be used unchanged
 *     as the name of a server lock
 */
public record LockId(String value) {

  /** The maximum length of a server lock's name. */
  public static final int MAX_LENGTH = 64;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BOOT_BITS = 60;

  /** Checks that servers accept {@code value} as the name of a lock. */
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
   * A new id for the process {@code pid} on {@code host}. A long host name is shortened; the pid
   * and the suffix are not.
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
