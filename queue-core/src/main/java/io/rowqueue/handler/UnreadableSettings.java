package io.rowqueue.handler;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/**
 * How long a worker releases a message that it cannot read before it dead-letters it.
 *
 * @param after from the first time on, positive
 */
public record UnreadableSettings(Duration after) {

  /** Checks that {@code after} is positive. */
  public UnreadableSettings {
    if (after.isNegative() || after.isZero()) {
      throw new IllegalArgumentException(
          "unreadable-timeout must be positive, not " + Humanize.duration(after));
    }
  }

  /** An hour: longer than a deployment takes. */
  public static UnreadableSettings defaults() {
    return new UnreadableSettings(Duration.ofHours(1));
  }
}
