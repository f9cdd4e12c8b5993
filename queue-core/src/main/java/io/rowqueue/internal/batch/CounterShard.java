package io.rowqueue.internal.batch;

import java.util.List;
import java.util.stream.LongStream;

/** Ids of leaves. A leaf tells its batch, so that nothing is looked up. */
public final class CounterShard {

  /** How many leaves a batch has at most. */
  public static final int MOST = 64;

  private CounterShard() {}

  /** The leaf {@code number} of a batch. */
  public static long of(long batch, int number) {
    return batch * MOST + number;
  }

  /** The batch of a leaf. */
  public static long batch(long shard) {
    return shard / MOST;
  }

  /** Which of its batch's leaves it is, from 0. */
  public static int number(long shard) {
    return (int) (shard % MOST);
  }

  /** All that {@code batch} can have, where some may not exist. */
  public static List<Long> all(long batch, int shards) {
    return LongStream.range(of(batch, 0), of(batch, shards)).boxed().toList();
  }
}
