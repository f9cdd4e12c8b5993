package io.rowqueue.handler;

/** How one claim ended. */
public enum Outcome {
  /** Handled, and its message deleted. */
  ACKED,
  /**
   * Handled by a handler without a transaction, and still to be acked by {@link
   * io.rowqueue.internal.settle.Settler#ackAll}, along with others.
   */
  HANDLED,
  /** Failed, and scheduled for another attempt. */
  RETRIED,
  /** Given back without counting an attempt. */
  RELEASED,
  /**
   * Given back without counting an attempt, since the database took none of its writes; others
   * would fare alike.
   */
  UNHANDLED,
  /**
   * Given back without counting an attempt, since this worker cannot read it yet; its neighbours
   * may be readable.
   */
  UNREADABLE,
  /** Taken out of the queue for good, as somebody wished; nothing of the handling remains. */
  CANCELLED,
  /** Set aside. */
  DEAD_LETTERED,
  /** Somebody else's by the time it was to be settled; nothing of the handling remains. */
  LOST,
  /** Not settled, since the database failed; the next reconciliation or a reap releases it. */
  GIVEN_UP,
  /** Left to the watcher, which settles a handling that did not end in time. */
  ABANDONED;

  /** Whether its handler ran, and ended well or failed. */
  public boolean isHandled() {
    return switch (this) {
      case ACKED, HANDLED, RETRIED, CANCELLED, DEAD_LETTERED -> true;
      default -> false;
    };
  }
}
