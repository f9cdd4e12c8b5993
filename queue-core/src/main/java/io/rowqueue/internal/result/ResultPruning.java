package io.rowqueue.internal.result;

/** What becomes of results that nobody may ask for any more. Thread-safe. */
public interface ResultPruning {

  /**
   * Deletes up to {@code limit} results whose time is over, by the database's clock, and the rows
   * of processes that no longer await any. Any worker may run it at any time, several at once.
   *
   * @return how many results
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  int prune(int limit);
}
