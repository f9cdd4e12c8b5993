package io.rowqueue.database;

import io.rowqueue.QueueException;

/**
 * The connection was lost between the COMMIT and its answer: the transaction may have happened or
 * not. Never answered by repeating the COMMIT, which would succeed on an empty transaction.
 */
public final class CommitOutcomeUnknownException extends QueueException {

  private static final long serialVersionUID = 1L;

  CommitOutcomeUnknownException(Transition transition, Throwable cause) {
    super(
        "the connection was lost during the COMMIT of "
            + transition.label()
            + "; it is unknown whether it happened",
        cause);
  }
}
