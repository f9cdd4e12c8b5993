package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/**
 * Thrown by a handler that gives its message back unharmed: the transaction is rolled back and no
 * attempt is counted. The message waits at least a second, so that a handler that always gives back
 * cannot spin.
 */
public class ReleaseMessage extends QueueException {

  private static final long serialVersionUID = 1L;

  private final Duration delay;

  /**
   * Gives the message back for {@code delay}, by the database's clock; less than a second means a
   * second.
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
