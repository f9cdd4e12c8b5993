package io.rowqueue.internal.batch;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one shard by one transaction.
 *
 * @param open members added, minus members settled in any way but as dead letters
 * @param total members added
 * @param acked members acknowledged
 * @param dead members dead-lettered; they count as settled unless the shard waits for them
 * @param cancelled members cancelled
 * @param first the lowest id of the messages added; null if none was added
 */
record ShardChange(int open, int total, int acked, int dead, int cancelled, @Nullable Long first) {

  static final ShardChange NONE = new ShardChange(0, 0, 0, 0, 0, null);
  static final ShardChange ACKED = new ShardChange(-1, 0, 1, 0, 0, null);
  static final ShardChange DEAD = new ShardChange(0, 0, 0, 1, 0, null);
  static final ShardChange REDRIVEN = new ShardChange(0, 0, 0, -1, 0, null);
  static final ShardChange CANCELLED = new ShardChange(-1, 0, 0, 0, 1, null);

  /** For a shard that waits for its dead letters. */
  static final ShardChange DISCARDED = new ShardChange(-1, 0, 0, -1, 1, null);

  /** Adds {@code members} members, of which no message has a lower id than {@code first}. */
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

  /** The parameters of {@link ShardRows#COUNTS}. */
  List<@Nullable Object> counts() {
    return Arrays.asList(total, acked, dead, cancelled, first, first);
  }

  /** The change of the shard's open members. */
  int openOf(boolean holds) {
    return holds ? open : open - dead;
  }
}
