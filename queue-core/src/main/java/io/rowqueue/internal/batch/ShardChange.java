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
record ShardChange(int open, int total, int acked, int dead, int cancelled, @Nullable Long first) {

  static final ShardChange NONE = new ShardChange(0, 0, 0, 0, 0, null);
  static final ShardChange ACKED = new ShardChange(-1, 0, 1, 0, 0, null);
  static final ShardChange DEAD = new ShardChange(0, 0, 0, 1, 0, null);
  static final ShardChange REDRIVEN = new ShardChange(0, 0, 0, -1, 0, null);
  static final ShardChange CANCELLED = new ShardChange(-1, 0, 0, 0, 1, null);

  /** Of a leaf that holds its dead letters. */
  static final ShardChange DISCARDED = new ShardChange(-1, 0, 0, -1, 1, null);

  /** So many members more, of which no message has a lower id than {@code first}. */
  static ShardChange added(int members, @Nullable Long first) {
    return new ShardChange(members, members, 0, 0, 0, first);
  }

  ShardChange plus(ShardChange other) {
    return new ShardChange(
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
