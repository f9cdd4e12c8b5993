package io.rowqueue.internal.handle;

import java.time.Duration;

/**
 * How a binding keeps what its handler gives back.
 *
 * @param keepFor from the ack on, by the database's clock
 * @param mostBytes that one result may have, encoded and wrapped
 */
public record ResultPolicy(Duration keepFor, int mostBytes) {

  /** What a result may have where the binding says nothing else. */
  public static final int DEFAULT_BYTES = 64 << 10;

  /** Whoever reads it has to hold it, and the server to take it in one packet. */
  static final int MOST_BYTES = 4 << 20;

  /** Less might be over before a fail-over is. */
  static final Duration SHORTEST = Duration.ofMinutes(1);

  static final Duration LONGEST = Duration.ofDays(366);

  /** Refuses what would help nobody. */
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
