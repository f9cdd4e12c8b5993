package io.rowqueue.worker.internal.observe;

import io.rowqueue.internal.database.Transactions;
import java.util.List;

/** Looks at the workers alone, where a status would count every message, too. Thread-safe. */
@FunctionalInterface
public interface WorkerReader {

  /**
   * Those that are not declared dead, by lock_id.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be asked
   */
  List<ListedWorker> read();

  /** Looks at the workers of the queue that {@code transactions} reaches. */
  static WorkerReader of(Transactions transactions) {
    return new JooqWorkerReader(transactions);
  }
}
