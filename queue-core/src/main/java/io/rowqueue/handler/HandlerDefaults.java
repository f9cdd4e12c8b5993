package io.rowqueue.handler;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/**
 * A worker's defaults for bindings that do not override them.
 *
 * @param retryPolicy the delay between attempts
 * @param maxAttempts failed attempts until the message is dead-lettered, at least 1
 * @param timeout the timeout of a handler, positive
 */
public record HandlerDefaults(RetryPolicy retryPolicy, int maxAttempts, Duration timeout) {

  /**
   * With {@link RetryPolicy#defaults()} the last of them begins about 24 hours after the first, so
   * that messages outlive the outage of a partner.
   */
  public static final int MAX_ATTEMPTS = 35;

  /** Checks that attempts and timeout are positive. */
  public HandlerDefaults {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("max-attempts must be at least 1, not " + maxAttempts);
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "handler-timeout must be positive, not " + Humanize.duration(timeout));
    }
  }

  /** {@value #MAX_ATTEMPTS} attempts, a timeout of five minutes, {@link RetryPolicy#defaults()}. */
  public static HandlerDefaults defaults() {
    return new HandlerDefaults(RetryPolicy.defaults(), MAX_ATTEMPTS, Duration.ofMinutes(5));
  }

  /** A copy with another maximum number of attempts. */
  public HandlerDefaults withMaxAttempts(int attempts) {
    return new HandlerDefaults(retryPolicy, attempts, timeout);
  }

  /** A copy with another timeout. */
  public HandlerDefaults withTimeout(Duration longest) {
    return new HandlerDefaults(retryPolicy, maxAttempts, longest);
  }

  /** A copy with another retry policy. */
  public HandlerDefaults withRetryPolicy(RetryPolicy policy) {
    return new HandlerDefaults(policy, maxAttempts, timeout);
  }
}
