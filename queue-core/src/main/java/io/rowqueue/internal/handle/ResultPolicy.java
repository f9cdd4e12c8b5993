package io.rowqueue.internal.handle;

import java.time.Duration;

/**
 * How a binding stores its handler's results.
 *
 * @param keepFor from the ack on, by the database's clock
 * @param mostBytes the maximum size of one result, encoded and wrapped
 */
public record ResultPolicy(Duration keepFor, int mostBytes) {

  /** The default maximum size. */
  public static final int DEFAULT_BYTES = 64 << 10;

  /** A reader must hold it in memory, and the server accept it in one packet. */
  static final int MOST_BYTES = 4 << 20;

  /** A shorter time might pass during a fail-over. */
  static final Duration SHORTEST = Duration.ofMinutes(1);

  static final Duration LONGEST = Duration.ofDays(366);

  /** Checks the limits. */
  public ResultPolicy {
    if (keepFor.compareTo(SHORTEST) < 0 || keepFor.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "results are kept from a minute to 366 days, not " + keepFor);
    }
    if (mostBytes < 1 || mostBytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "a result may have from 1 to %,d bytes, not %,d".formatted(MOST_BYTES, mostBytes));
    }
  }
}
