package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.handle.Handling;

/**
 * How far the watch has gone with one handling: an interrupt at the timeout, the connection cut two
 * seconds later, and two more until the settlement is taken over. Confined to the watch's thread.
 */
final class Overdue {

  private static final long GRACE_NANOS = 2_000_000_000L;

  private long cutAtNanos = Long.MAX_VALUE;
  private boolean cut;

  /** Does what is due now; true if the handling was taken away from its thread. */
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
