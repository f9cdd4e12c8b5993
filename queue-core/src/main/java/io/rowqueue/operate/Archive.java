package io.rowqueue.operate;

/**
 * The copies of acknowledged messages. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface Archive {

  /**
   * Deletes up to {@code limit} copies whose day is older than their topic keeps them, and those of
   * topics that keep none any more. Any worker may run it at any time, several at once; copies that
   * another holds are left for it.
   *
   * @return how many; {@code limit} means that there may be more
   */
  int prune(int limit);

  /**
   * Where {@link #partitionByDay()} was called once, drops the days whole that no topic keeps, and
   * makes those that come; elsewhere without effect, on partitions of the operator's own, too. Does
   * not fail where it cannot: {@link #prune} finds the copies one by one. Any worker may run it at
   * any time, several at once.
   */
  void maintainPartitions();

  /**
   * Partitions the table by day, once, unless it is partitioned already; {@link
   * #maintainPartitions} keeps it so. Copies the table, and holds up acknowledgements of topics
   * that keep copies meanwhile: for a table that is still small. Needs CREATE, ALTER and DROP, as
   * {@code maintainPartitions} does from then on.
   *
   * @return false if it was partitioned already, by this or by the operator
   * @throws io.rowqueue.DatabaseUnavailableException if the server refuses, or others hold the
   *     table for longer than a few seconds
   */
  boolean partitionByDay();
}
