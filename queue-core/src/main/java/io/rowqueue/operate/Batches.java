package io.rowqueue.operate;

import io.rowqueue.internal.operate.JooqBatches;
import java.util.List;
import java.util.Optional;

/**
 * Batches by their ids, for operators and producers. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface Batches {

  /** The batch; empty if there is none, or it completed a week ago and was pruned. */
  Optional<BatchDetails> find(long id);

  /**
   * The counts of its members, read without locks.
   *
   * @throws RefusedException if there is no such batch
   */
  default BatchCounts progress(long id) {
    return find(id).map(BatchDetails::counts).orElseThrow(() -> JooqBatches.unknown(id));
  }

  /**
   * Batches with ids below {@code before}, the newest first.
   *
   * @param all whether to include complete ones
   */
  List<BatchDetails> list(boolean all, long before, int limit);

  /**
   * Closes it: no members are added from outside any more.
   *
   * @throws RefusedException if it was closed before, or does not exist
   */
  void close(long id);

  /**
   * Deletes the unclaimed messages of the batch, and of batches within it, and ends its chains
   * after the messages that are being handled. Running handlers finish; messages that fail and wait
   * afterwards, or are added, are deleted by the next {@link #sweep}. The batch completes like any
   * other. An open one is closed. Idempotent, also after the batch has completed because of it.
   *
   * @return how many messages were deleted
   * @throws RefusedException if it is complete and was not cancelled, or does not exist
   */
  int cancel(long id);

  /**
   * Continues with cancelled batches that are not complete.
   *
   * @return how many messages were deleted
   */
  int sweep();

  /**
   * Corrects the open members of each shard to the messages in the tables, after messages were
   * deleted or inserted by hand. Missing members count as cancelled, additional ones as added. A
   * batch without open members completes.
   *
   * @return the corrected counts
   * @throws RefusedException if it is complete, or does not exist
   */
  BatchCounts recount(long id);

  /**
   * Deletes batches that completed a week ago.
   *
   * @return how many
   */
  int prune(int limit);
}
