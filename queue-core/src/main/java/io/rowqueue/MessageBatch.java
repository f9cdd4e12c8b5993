package io.rowqueue;

import io.rowqueue.internal.batch.CounterShard;

/**
 * A reference to a batch, for adding members. It can be stored and passed on as two numbers.
 *
 * @param id the batch
 * @param shards the number of its counters, as set when it was opened
 */
public record MessageBatch(long id, int shards) {

  /** Checks the ranges. */
  public MessageBatch {
    if (id < 1 || shards < 1 || shards > CounterShard.MOST) {
      throw new IllegalArgumentException(
          "a batch has an id above 0 and 1 to %d shards, not %d and %d"
              .formatted(CounterShard.MOST, id, shards));
    }
  }
}
