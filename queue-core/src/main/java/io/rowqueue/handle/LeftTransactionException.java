package io.rowqueue.handle;

import io.rowqueue.QueueException;

/**
 * The handler ended the message's transaction by SQL text or by DDL, so what it had written is
 * committed without the message's deletion. The message becomes a dead letter at once: another
 * attempt would write the same again.
 */
public final class LeftTransactionException extends QueueException {

  private static final long serialVersionUID = 1L;

  LeftTransactionException() {
    super(
        "the handler ended the message's transaction itself (COMMIT, ROLLBACK or START TRANSACTION"
            + " as SQL text, or DDL, which commits); what it wrote before that is committed, and"
            + " exactly-once is lost for this message: check what it did, then redrive or delete"
            + " the dead letter");
  }
}
