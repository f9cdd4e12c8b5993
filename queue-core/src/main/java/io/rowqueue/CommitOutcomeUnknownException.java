package io.rowqueue;

import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transition;

/**
 * The connection was lost between the COMMIT and its answer, or the answer leaves open whether it
 * happened. Never answered by repeating the COMMIT, which would succeed on an empty transaction.
 */
public final class CommitOutcomeUnknownException extends QueueException {

  private static final long serialVersionUID = 1L;

  CommitOutcomeUnknownException(Transition transition, Throwable cause) {
    super(
        "it is unknown whether the COMMIT of "
            + transition.label()
            + " happened: "
            + cause.getMessage()
            + ServerAnswer.advice(cause),
        cause);
  }
}
