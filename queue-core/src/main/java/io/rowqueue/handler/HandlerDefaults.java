package io.rowqueue.handler;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/**
 * What holds for every binding of a worker that does not say otherwise.
 *
 * @param retryPolicy the wait between attempts
 * @param maxAttempts failed attempts until a dead letter, at least 1
 * @param timeout the longest that one handling may take, positive
 */
public record HandlerDefaults(RetryPolicy retryPolicy, int maxAttempts, Duration timeout) {

  /** Checks that attempts and timeout are positive. */
  public HandlerDefaults {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1, not " + maxAttempts);
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "timeout must be positive, not " + Humanize.duration(timeout));
    }
  }

  /** Ten attempts, five minutes each, {@link RetryPolicy#defaults()} between them. */
  public static HandlerDefaults defaults() {
    return new HandlerDefaults(RetryPolicy.defaults(), 10, Duration.ofMinutes(5));
  }

  /** The same with another limit of attempts. */
  public HandlerDefaults withMaxAttempts(int attempts) {
    return new HandlerDefaults(retryPolicy, attempts, timeout);
  }

  /** The same with another timeout. */
  public HandlerDefaults withTimeout(Duration longest) {
    return new HandlerDefaults(retryPolicy, maxAttempts, longest);
  }

  /** The same with another wait between attempts. */
  public HandlerDefaults withRetryPolicy(RetryPolicy policy) {
    return new HandlerDefaults(policy, maxAttempts, timeout);
  }
}
