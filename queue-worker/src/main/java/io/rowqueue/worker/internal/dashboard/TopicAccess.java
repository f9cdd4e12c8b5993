package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.database.StatementTimeout;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Adapts the limit of counts: lower while the server is too slow to count in time, and back to the
 * maximum afterwards. Confined to one thread.
 */
final class TopicAccess {

  static final int MOST = QueueCounts.MOST;

  static final int LEAST = 1_000;

  private static final int STEP = 10;

  private final long slow;
  private final LongSupplier clock;
  private int next = MOST;
  private int used = MOST;

  /**
   * For statements with the server's timeout {@code timeout}. Half of it counts as slow, as a
   * reserve for higher load.
   *
   * @param clock as {@link System#nanoTime()}
   */
  TopicAccess(Duration timeout, LongSupplier clock) {
    this.slow = timeout.dividedBy(2).toNanos();
    this.clock = clock;
  }

  /** Returns the limit of the last counts. */
  int used() {
    return used;
  }

  /**
   * Counts up to the current limit. If the server cancels the statement, it is repeated once with
   * the lowest limit.
   *
   * @throws QueueException if both fail
   */
  <T> T count(IntFunction<T> upTo) {
    try {
      return countOnce(upTo);
    } catch (QueueException e) {
      if (used == LEAST || !StatementTimeout.isIn(e)) {
        throw e;
      }
      next = LEAST;
      return countOnce(upTo);
    }
  }

  private <T> T countOnce(IntFunction<T> upTo) {
    long start = clock.getAsLong();
    used = next;
    T counted = upTo.apply(used);
    took(clock.getAsLong() - start);
    return counted;
  }

  /** Raises the limit if counting ten times as much would be fast enough. */
  private void took(long nanos) {
    if (nanos > slow) {
      next = Math.max(LEAST, used / STEP);
    } else if (nanos < slow / STEP) {
      next = Math.min(MOST, used * STEP);
    }
  }
}
