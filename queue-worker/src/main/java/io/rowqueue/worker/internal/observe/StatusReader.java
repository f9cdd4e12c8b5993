package io.rowqueue.worker.internal.observe;

import io.rowqueue.internal.database.Transactions;

/** Looks at a queue. Reads only, locks nothing. Thread-safe. */
@FunctionalInterface
public interface StatusReader {

  /**
   * The queue as it is now. Counts every message, so it takes about a second for each million of
   * them.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be asked
   */
  QueueStatus read();

  /** Looks at the queue that {@code transactions} reaches. */
  static StatusReader of(Transactions transactions) {
    return new JooqStatusReader(transactions);
  }
}
