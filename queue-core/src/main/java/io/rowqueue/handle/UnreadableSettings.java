package io.rowqueue.handle;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long a worker gives back what it cannot read before it sets it aside.
 *
 * @param after from the first time on, positive
 * @param clock the nanoseconds by which that is measured, such as {@code System::nanoTime}
 */
public record UnreadableSettings(Duration after, LongSupplier clock) {

  /** Checks that {@code after} is positive. */
  public UnreadableSettings {
    if (after.isNegative() || after.isZero()) {
      throw new IllegalArgumentException("unreadable-after must be positive, not " + after);
    }
  }

  /** An hour: longer than a deployment takes. */
  public static UnreadableSettings defaults() {
    return after(Duration.ofHours(1));
  }

  /**
   * The same by another time.
   *
   * @throws IllegalArgumentException if {@code length} is not positive
   */
  public static UnreadableSettings after(Duration length) {
    return new UnreadableSettings(length, System::nanoTime);
  }
}
