package io.rowqueue;

/**
 * The connection was lost between the COMMIT and its reply, or the reply leaves open whether it
 * happened. The COMMIT is never repeated, because it would succeed on an empty transaction.
 */
public final class CommitOutcomeUnknownException extends QueueException {

  /** For RowQueue. The message says which transaction it was. */
  public CommitOutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
