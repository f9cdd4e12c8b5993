package io.rowqueue;

/**
 * The connection was lost while an enqueue's own transaction committed: the messages are in the
 * queue, all of them or none, and nothing can tell which. Enqueue again if handling a message twice
 * does less harm than not handling it.
 */
public final class EnqueueOutcomeUnknownException extends EnqueueException {

  private static final long serialVersionUID = 1L;

  /** Says which messages are in doubt. */
  public EnqueueOutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
