package io.rowqueue.operate;

/**
 * Copies of acknowledged messages. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface Archive {

  /**
   * Deletes up to {@code limit} copies that are older than their topic's retention, and copies of
   * topics without a retention. Any worker may run it at any time, several at once; copies that
   * another has locked are skipped.
   *
   * @return how many; {@code limit} means that there may be more
   */
  int prune(int limit);

  /**
   * After {@link #partitionByDay()} was called once, drops the partitions of days that no topic
   * retains, and creates those of the next days. Has no effect on other tables, including one that
   * the operator has partitioned. Does not throw if the partitions cannot be changed: {@link
   * #prune} deletes the copies one by one. Any worker may run it at any time, several at once.
   */
  void maintainPartitions();

  /**
   * Partitions the table by day, unless it is partitioned already; {@link #maintainPartitions}
   * maintains the partitions from then on. Copies the table, which blocks acknowledgements of
   * topics with a retention for that time, so call it while the table is small. Needs CREATE, ALTER
   * and DROP, and so does {@code maintainPartitions} from then on.
   *
   * @return false if it was partitioned already, by this or by the operator
   * @throws io.rowqueue.DatabaseUnavailableException if the server refuses, or other transactions
   *     hold the table for longer than a few seconds
   */
  boolean partitionByDay();
}
