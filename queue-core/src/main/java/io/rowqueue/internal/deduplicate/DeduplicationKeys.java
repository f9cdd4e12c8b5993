package io.rowqueue.internal.deduplicate;

import io.rowqueue.internal.database.Transactions;

/** The keys under which messages are enqueued once. Thread-safe. */
public interface DeduplicationKeys {

  /**
   * Deletes the keys that nothing holds: their messages are in no queue, their windows are over,
   * and nobody asked for them in the last ten minutes. Looks at all keys, {@code batch} at a time,
   * by primary key and without locks. Any worker may run it at any time, several at once; keys that
   * a producer holds are left for the next time.
   *
   * @return how many
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  int prune(int batch);

  /** The keys that {@code transactions} reach. */
  static DeduplicationKeys of(Transactions transactions) {
    return new JooqDeduplicationKeys(transactions);
  }
}
