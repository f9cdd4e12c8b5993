package io.rowqueue.internal.batch;

import java.util.List;
import java.util.stream.LongStream;

/** Ids of batch shards. A shard's id contains its batch's id, which saves a query. */
public final class CounterShard {

  /** The maximum number of shards of a batch. */
  public static final int MOST = 64;

  private CounterShard() {}

  public static long of(long batch, int number) {
    return batch * MOST + number;
  }

  public static long batch(long shard) {
    return shard / MOST;
  }

  /** The shard's number within its batch, from 0. */
  public static int number(long shard) {
    return (int) (shard % MOST);
  }

  /** The ids of all shards that {@code batch} can have; some may not exist. */
  public static List<Long> all(long batch, int shards) {
    return LongStream.range(of(batch, 0), of(batch, shards)).boxed().toList();
  }
}
