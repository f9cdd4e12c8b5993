package io.rowqueue.worker.internal.poll;

import java.util.Collection;

/**
 * Divides a topic's slots among the workers that want them. A worker knows how many slots each
 * holder has; of workers without slots it only knows that there is at least one.
 */
final class FairShare {

  private FairShare() {}

  /**
   * Returns how many of {@code limit} slots a worker may request, if the others hold {@code others}
   * each.
   */
  static int least(int limit, Collection<Long> others) {
    return Math.max(1, limit / (others.size() + 1));
  }

  /**
   * Returns how many of {@code mine} to release while another worker wants slots: either a holder
   * with less than its share, or a worker without slots.
   */
  static int excess(int limit, int mine, Collection<Long> others) {
    int least = least(limit, others);
    boolean aHolderWants = others.stream().anyMatch(count -> count < least);
    int sharers = others.size() + (aHolderWants ? 1 : 2);
    return Math.max(0, mine - (limit + sharers - 1) / sharers);
  }

  /** Returns whether there are more holders and requesters than slots, so that slots rotate. */
  static boolean isByTurns(int limit, Collection<Long> others) {
    return others.size() + 2 > limit;
  }
}
