package io.rowqueue.internal.order;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The id up to which arrived messages need not be read: an old snapshot keeps every message that
 * was admitted since it was taken, and a query from the beginning scans all of them. Ids are
 * assigned before they commit, so the cursor starts again at the beginning once a second. For one
 * thread.
 */
final class IntakeCursor {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long mark;
  private long resetNanos = System.nanoTime();

  /** The id above which to read at {@code nowNanos}. */
  long above(long nowNanos) {
    if (nowNanos - resetNanos >= INTERVAL_NANOS) {
      mark = 0;
      resetNanos = nowNanos;
    }
    return mark;
  }

  /**
   * Records what a query has found and which messages of it have been admitted. If none was, the
   * next query continues behind them, so that groups that other transactions have locked do not
   * hide the rest.
   */
  void polled(Collection<Long> found, Set<Long> admitted) {
    long last = found.stream().mapToLong(Long::longValue).max().orElse(mark);
    long firstLeft =
        found.stream()
            .filter(id -> !admitted.contains(id))
            .mapToLong(Long::longValue)
            .min()
            .orElse(last + 1);
    mark = admitted.isEmpty() ? last : firstLeft - 1;
  }
}
