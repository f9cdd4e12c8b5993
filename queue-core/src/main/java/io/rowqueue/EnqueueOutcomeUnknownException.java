package io.rowqueue;

/**
 * The connection was lost while an enqueue's own transaction committed, or while its only statement
 * ran: either all of the messages of the call are in the queue or none, and it is unknown which.
 * Enqueue again if handling a message twice does less harm than not handling it.
 */
public final class EnqueueOutcomeUnknownException extends EnqueueException {

  /** The message says which messages are affected. */
  public EnqueueOutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
