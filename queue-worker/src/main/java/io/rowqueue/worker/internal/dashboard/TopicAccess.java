package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.StatementTimeout;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * How far a look counts: less far while the server is too busy to count in time, and as far as ever
 * when it is not. Confined to whoever looks.
 */
final class TopicAccess {

  /** About 25 ms of an index. */
  static final int MOST = 100_000;

  static final int LEAST = 1_000;

  private static final int STEP = 10;

  private final long slow;
  private final LongSupplier clock;
  private int next = MOST;
  private int used = MOST;

  /**
   * Of statements that the server ends after {@code timeout}. Half of it is slow: what comes to
   * that has little left for a worse moment.
   *
   * @param clock as {@link System#nanoTime()}
   */
  TopicAccess(Duration timeout, LongSupplier clock) {
    this.slow = timeout.dividedBy(2).toNanos();
    this.clock = clock;
  }

  /** Where each count of the last look ended. */
  int used() {
    return used;
  }

  /**
   * Counts up to where it is worth it. What the server has ended is counted again at its shortest,
   * so that no look takes a third time.
   *
   * @throws QueueException if it cannot be counted
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

  /** Goes on where ten times as much would be in time, too. */
  private void took(long nanos) {
    if (nanos > slow) {
      next = Math.max(LEAST, used / STEP);
    } else if (nanos < slow / STEP) {
      next = Math.min(MOST, used * STEP);
    }
  }
}
