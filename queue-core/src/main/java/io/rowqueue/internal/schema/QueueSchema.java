package io.rowqueue.internal.schema;

import io.rowqueue.SchemaException;
import io.rowqueue.internal.database.Transactions;

/**
 * What a worker asks of its schema before it starts. Thread-safe. Migrations run elsewhere (the
 * worker's {@code migrate} command); their scripts lie in {@code io/rowqueue/migration}.
 */
public interface QueueSchema {

  /** The schema version that this RowQueue was made for. */
  int KNOWN_VERSION = 1;

  /**
   * Checks that the schema is there, is not older than this RowQueue needs, and allows it to run.
   *
   * @throws SchemaException if it does not fit
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be asked
   */
  void check();

  /** The schema that {@code transactions} reach. */
  static QueueSchema of(Transactions transactions) {
    return new JooqQueueSchema(transactions);
  }

  /** The name that tells this queue from every other: a UUID, given by the first migration. */
  String queueName();
}
