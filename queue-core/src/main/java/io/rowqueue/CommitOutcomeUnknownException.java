package io.rowqueue;

/**
 * The connection was lost between the COMMIT and its answer, or the answer leaves open whether it
 * happened. Never answered by repeating the COMMIT, which would succeed on an empty transaction.
 */
public final class CommitOutcomeUnknownException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** For RowQueue: with the message that says which transaction it was. */
  public CommitOutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
