package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The handler ended the message's transaction by SQL text or by DDL, so its writes are committed
 * without the message's deletion. The message is dead-lettered at once, because another attempt
 * would repeat the writes.
 */
public final class TransactionEndedException extends QueueException {

  /** For RowQueue. */
  public TransactionEndedException() {
    super(
        "the message's transaction was ended inside its handler (COMMIT, ROLLBACK or START"
            + " TRANSACTION as SQL text, a stored procedure that does so, or DDL, which commits);"
            + " what the handler wrote before that may be committed, so the exactly-once guarantee"
            + " is lost for this message: check what it did, then redrive or delete the dead"
            + " letter");
  }
}
