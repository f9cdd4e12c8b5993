package io.rowqueue.handler;

/** The outcome of one claim. */
public enum Outcome {
  /** Handled, and its message deleted. */
  ACKED,
  /**
   * Handled by a handler without a transaction, and waiting to be acked by {@link
   * io.rowqueue.internal.settle.Settler#ackAll}, together with others.
   */
  HANDLED,
  /** Failed, and scheduled for another attempt. */
  RETRIED,
  /** Released without counting an attempt. */
  RELEASED,
  /**
   * Released without counting an attempt, because the database did not accept its writes or its
   * settlement; other messages may fail likewise.
   */
  UNHANDLED,
  /**
   * Released without counting an attempt, because this worker cannot read it yet; other messages
   * may be readable.
   */
  UNREADABLE,
  /** Deleted because of a cancellation request; the handling has left no effect. */
  CANCELLED,
  /** Moved to the dead-letter queue. */
  DEAD_LETTERED,
  /** The claim was lost before it could be settled; the handling has left no effect. */
  LOST,
  /** Not settled, since the database failed; the next reconciliation or a reap releases it. */
  GIVEN_UP,
  /** Left to the watcher, which settles a handler that did not end in time. */
  ABANDONED;

  /** Whether the handler ran, and returned or failed. */
  public boolean isHandled() {
    return switch (this) {
      case ACKED, HANDLED, RETRIED, CANCELLED, DEAD_LETTERED -> true;
      default -> false;
    };
  }
}
