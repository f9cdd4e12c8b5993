package io.rowqueue.handler;

import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;

/**
 * The delay between a failed attempt and the next. A pure function of the attempt and its error
 * (apart from jitter); implementations must be thread-safe.
 */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * The backoff after a failed attempt.
   *
   * @param attempt the attempt that failed, 1 for the first
   * @param failure the exception that it threw
   * @return not negative; zero means at once
   */
  Duration backoff(int attempt, Throwable failure);

  /** Exponential with jitter: about 2 s, 4 s, 8 s and so on, each ±50 %, never above an hour. */
  static RetryPolicy defaults() {
    return exponential(Duration.ofSeconds(2), 2.0, Duration.ofHours(1));
  }

  /**
   * {@code first}, then each time {@code multiplier} times as long, each ±50 % at random, never
   * above {@code longest}.
   *
   * @throws IllegalArgumentException if {@code first} is below 10 ms, {@code multiplier} below 1,
   *     or {@code longest} below {@code first}
   */
  static RetryPolicy exponential(Duration first, double multiplier, Duration longest) {
    return of(IntervalFunction.ofExponentialRandomBackoff(first, multiplier, 0.5, longest));
  }

  /** Always {@code delay}. */
  static RetryPolicy fixed(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative: " + delay);
    }
    return (attempt, failure) -> delay;
  }

  /** Any of resilience4j's interval functions. */
  static RetryPolicy of(IntervalFunction intervals) {
    return (attempt, failure) -> Duration.ofMillis(Math.max(0L, intervals.apply(attempt)));
  }
}
