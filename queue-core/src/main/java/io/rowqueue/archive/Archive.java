package io.rowqueue.archive;

import io.rowqueue.database.Transactions;

/**
 * The copies of acknowledged messages. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface Archive {

  /**
   * Deletes up to {@code limit} copies whose day is older than their topic keeps them, and those of
   * topics that keep none any more. Any worker may run it at any time, several at once; copies that
   * another holds are left for it. Where the table is partitioned by day, days that no topic keeps
   * are dropped whole, and are not counted.
   *
   * @return how many; {@code limit} means that there may be more
   */
  int prune(int limit);

  /**
   * Partitions the table by day, once; {@link #prune} then makes the coming days' partitions, too.
   * Copies the table, and holds up acknowledgements of topics that keep copies meanwhile: for a
   * table that is still small. Needs CREATE, ALTER and DROP, as {@code prune} does from then on;
   * without them it goes on in batches.
   *
   * @throws io.rowqueue.database.DatabaseUnavailableException if the server refuses
   */
  void partitionByDay();

  /** The archive that {@code transactions} reach. */
  static Archive of(Transactions transactions) {
    return new JooqArchive(transactions);
  }
}
