package io.rowqueue.example.sweep;

import java.time.Duration;

/**
 * How the shop sweeps. All times are measured by the database's clock.
 *
 * @param period from one run to the next, not negative
 * @param payWithin how long a customer has, from the order to the payment; not negative
 * @param deadAfter how long a run may hold an order before another frees it, positive; longer than
 *     the desk takes to answer, retries included, or orders are asked about twice
 * @param limit how many orders one run takes at most, at least 1
 */
public record SweepConfig(Duration period, Duration payWithin, Duration deadAfter, int limit) {

  /** Checks each. */
  public SweepConfig {
    if (period.isNegative() || payWithin.isNegative()) {
      throw new IllegalArgumentException(
          "period %s and payWithin %s must not be negative".formatted(period, payWithin));
    }
    if (deadAfter.isNegative() || deadAfter.isZero()) {
      throw new IllegalArgumentException("deadAfter must be positive, not " + deadAfter);
    }
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, not " + limit);
    }
  }

  /** Every minute up to 100 orders that are a day old; a run is dead after an hour. */
  public static SweepConfig defaults() {
    return new SweepConfig(Duration.ofMinutes(1), Duration.ofDays(1), Duration.ofHours(1), 100);
  }
}
