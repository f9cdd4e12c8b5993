package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The handler ended the message's transaction by SQL text or by DDL, so what it had written is
 * committed without the message's deletion. The message becomes a dead letter at once: another
 * attempt would write the same again.
 */
public final class LeftTransactionException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** For RowQueue. */
  public LeftTransactionException() {
    super(
        "the message's transaction was ended inside its handler (COMMIT, ROLLBACK or START"
            + " TRANSACTION as SQL text, a procedure that does so, or DDL, which commits); what the"
            + " handler wrote before that may be committed, and exactly-once is lost for this"
            + " message: check what it did, then redrive or delete the dead letter");
  }
}
