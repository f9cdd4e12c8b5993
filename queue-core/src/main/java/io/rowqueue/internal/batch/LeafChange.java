package io.rowqueue.internal.batch;

import org.jspecify.annotations.Nullable;

/**
 * What one transaction does to one leaf.
 *
 * @param open members that it adds, less those that it settles otherwise than as dead letters
 * @param total members that it adds
 * @param acked of its members
 * @param dead of its members; those are settled unless the leaf holds them
 * @param cancelled of its members
 * @param first the lowest id of the messages that it adds; null if it adds none
 */
record LeafChange(int open, int total, int acked, int dead, int cancelled, @Nullable Long first) {

  static final LeafChange NONE = new LeafChange(0, 0, 0, 0, 0, null);
  static final LeafChange ACKED = new LeafChange(-1, 0, 1, 0, 0, null);
  static final LeafChange DEAD = new LeafChange(0, 0, 0, 1, 0, null);
  static final LeafChange REDRIVEN = new LeafChange(0, 0, 0, -1, 0, null);
  static final LeafChange CANCELLED = new LeafChange(-1, 0, 0, 0, 1, null);

  /** Of a leaf that holds its dead letters. */
  static final LeafChange DISCARDED = new LeafChange(-1, 0, 0, -1, 1, null);

  /** So many members more, of which no message has a lower id than {@code first}. */
  static LeafChange added(int members, @Nullable Long first) {
    return new LeafChange(members, members, 0, 0, 0, first);
  }

  LeafChange plus(LeafChange other) {
    return new LeafChange(
        open + other.open,
        total + other.total,
        acked + other.acked,
        dead + other.dead,
        cancelled + other.cancelled,
        lower(first, other.first));
  }

  private static @Nullable Long lower(@Nullable Long one, @Nullable Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Math.min(one, other);
  }

  /** The change of the leaf's open members. */
  int openOf(boolean holds) {
    return holds ? open : open - dead;
  }
}
