package io.rowqueue.operate;

import io.rowqueue.internal.operate.JooqBatches;
import java.util.List;
import java.util.Optional;

/**
 * Batches by their ids, for operators and producers. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface Batches {

  /** The batch; empty if there is none, or it was complete for a week and is forgotten. */
  Optional<BatchDetails> find(long id);

  /**
   * What has become of its members, without locks.
   *
   * @throws RefusedException if there is no such batch
   */
  default BatchCounts progress(long id) {
    return find(id).map(BatchDetails::counts).orElseThrow(() -> JooqBatches.unknown(id));
  }

  /**
   * Batches below {@code before}, the newest first.
   *
   * @param all whether complete ones are among them
   */
  List<BatchDetails> list(boolean all, long before, int limit);

  /**
   * Says that nobody outside adds to it any more.
   *
   * @throws RefusedException if it was sealed before, or there is none
   */
  void close(long id);

  /**
   * Takes out of the queue what of it, and of batches within it, no worker has claimed, and ends
   * its chains behind what is being handled. What is being handled runs to its end; what fails then
   * and waits, or is added, is taken out by the next {@link #sweep}. The batch completes like any
   * other. An open one is sealed. Idempotent, also once the batch has completed by it.
   *
   * @return how many messages were taken out
   * @throws RefusedException if it is complete and was not cancelled, or there is none
   */
  int cancel(long id);

  /**
   * Goes on with cancelled batches that are not complete.
   *
   * @return how many messages were taken out
   */
  int sweep();

  /**
   * Sets the open members of each leaf to what is in the tables, after somebody has deleted or
   * inserted members by hand. What is missing counts as cancelled, what is too many as added. A
   * batch without open members completes.
   *
   * @return the counts behind it
   * @throws RefusedException if it is complete, or there is none
   */
  BatchCounts recount(long id);

  /**
   * Forgets batches that were complete for a week.
   *
   * @return how many
   */
  int prune(int limit);
}
