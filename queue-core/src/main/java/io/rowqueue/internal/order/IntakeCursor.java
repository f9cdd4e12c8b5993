package io.rowqueue.internal.order;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Up to which id arrived messages need not be looked for: an old snapshot keeps every one that was
 * admitted since it was taken, and a look from the beginning walks over all of them. Ids are given
 * before they commit, so that it begins there again once a second. For one thread.
 */
final class IntakeCursor {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long mark;
  private long resetNanos = System.nanoTime();

  /** The id above which to look at {@code nowNanos}. */
  long above(long nowNanos) {
    if (nowNanos - resetNanos >= INTERVAL_NANOS) {
      mark = 0;
      resetNanos = nowNanos;
    }
    return mark;
  }

  /**
   * What a look has found, and what of that has been admitted. Where nothing was, the next look
   * goes on behind it, lest lines that somebody else has hide the others.
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
