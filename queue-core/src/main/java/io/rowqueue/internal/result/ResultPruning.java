package io.rowqueue.internal.result;

/** Deletes expired results. Thread-safe. */
public interface ResultPruning {

  /**
   * Deletes up to {@code limit} results that have expired by the database's clock, and the rows of
   * processes that no longer await any. Any worker may run it at any time, several at once.
   *
   * @return how many results
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  int prune(int limit);
}
