package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows when the next attempt makes sense. The transaction is rolled back,
 * the attempt is counted, and the given time replaces the binding's backoff. At the last attempt
 * the message is dead-lettered, as after any other failure.
 */
public class RetryAfter extends QueueException {

  private final Duration delay;

  /**
   * Requests a retry {@code delay} from now, by the database's clock.
   *
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public RetryAfter(Duration delay, String message) {
    this(delay, message, null);
  }

  /**
   * Requests a retry {@code delay} from now, by the database's clock.
   *
   * @param cause the cause; null if there is none
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public RetryAfter(Duration delay, String message, @Nullable Throwable cause) {
    super(message, cause);
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative: " + Humanize.duration(delay));
    }
    this.delay = delay;
  }

  /** How long to wait; not negative. */
  public Duration delay() {
    return delay;
  }
}
