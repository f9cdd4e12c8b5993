package io.rowqueue;

/**
 * The database refused an insert. Nothing of the call was written; in the caller's own transaction
 * the cause shows whether that transaction can continue (after a deadlock it cannot).
 */
public class EnqueueException extends QueueException {

  /** The message says what should have been enqueued, and the database's error. */
  public EnqueueException(String message, Throwable cause) {
    super(message, cause);
  }
}
