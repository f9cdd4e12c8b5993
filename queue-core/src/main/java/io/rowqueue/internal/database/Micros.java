package io.rowqueue.internal.database;

import java.time.Duration;

/** The unit of the servers' times. */
public final class Micros {

  private Micros() {}

  /**
   * {@code time} in whole microseconds.
   *
   * @throws ArithmeticException if it is longer than 292,000 years
   */
  public static long of(Duration time) {
    return Math.addExact(
        Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNano() / 1_000L);
  }
}
