package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/**
 * Thrown by a handler to release its message: the transaction is rolled back and no attempt is
 * counted. The message waits at least a second, so that a handler that always releases cannot spin.
 */
public class ReleaseMessage extends QueueException {

  private final Duration delay;

  /**
   * Releases the message for {@code delay}, by the database's clock; at least a second.
   *
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public ReleaseMessage(Duration delay, String message) {
    super(message);
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
