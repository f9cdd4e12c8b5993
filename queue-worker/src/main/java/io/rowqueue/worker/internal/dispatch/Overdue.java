package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.handle.Handling;

/**
 * The escalation for one attempt: an interrupt at the timeout, the connection closed two seconds
 * later, and the settlement taken over after another two. Confined to the watch's thread.
 */
final class Overdue {

  private static final long GRACE_NANOS = 2_000_000_000L;

  private long cutAtNanos = Long.MAX_VALUE;
  private boolean cut;

  /** Performs the due steps; returns true if the attempt was taken away from its thread. */
  boolean step(Handling handling, Handling.ConnectionCutter cutter) {
    long running = handling.runningNanos();
    handling.interruptIfOver();
    if (handling.isOverdue() && cutAtNanos == Long.MAX_VALUE) {
      cutAtNanos = running + GRACE_NANOS;
    }
    if (running < cutAtNanos) {
      return false;
    }
    if (!cut) {
      cut = true;
      handling.cut(cutter);
      return false;
    }
    return running >= cutAtNanos + GRACE_NANOS && handling.abandon();
  }
}
