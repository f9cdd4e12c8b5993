package io.rowqueue.worker.internal.poll;

import java.util.Collection;

/**
 * How the slots of a topic are divided among the workers that want them. Whoever asks knows who
 * holds how many, and of those who hold none only that there is at least one.
 */
final class FairShare {

  private FairShare() {}

  /** How many of {@code limit} slots a worker may ask others for, who hold {@code others} each. */
  static int least(int limit, Collection<Long> others) {
    return Math.max(1, limit / (others.size() + 1));
  }

  /**
   * How many of {@code mine} are too many while somebody wants some. Either one of the holders has
   * fewer than its share and is the one who wants, or it is somebody who holds none.
   */
  static int excess(int limit, int mine, Collection<Long> others) {
    int least = least(limit, others);
    boolean aHolderWants = others.stream().anyMatch(count -> count < least);
    int sharers = others.size() + (aHolderWants ? 1 : 2);
    return Math.max(0, mine - (limit + sharers - 1) / sharers);
  }

  /** Whether those who hold and one who wants are more than the slots, so that they take turns. */
  static boolean isByTurns(int limit, Collection<Long> others) {
    return others.size() + 2 > limit;
  }
}
