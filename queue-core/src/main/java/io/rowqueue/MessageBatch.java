package io.rowqueue;

import io.rowqueue.internal.batch.CounterShard;

/**
 * Names a batch to whoever adds to it. It can be kept and passed on as two numbers.
 *
 * @param id the batch
 * @param shards how many counters its members share, as it was opened
 */
public record MessageBatch(long id, int shards) {

  /** Checks that both can be those of a batch. */
  public MessageBatch {
    if (id < 1 || shards < 1 || shards > CounterShard.MOST) {
      throw new IllegalArgumentException(
          "a batch has an id above 0 and 1 to %d leaves, not %d and %d"
              .formatted(CounterShard.MOST, id, shards));
    }
  }
}
