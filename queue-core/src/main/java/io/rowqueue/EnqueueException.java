package io.rowqueue;

/**
 * The database did not take an insert. Nothing of the call was written; in the caller's own
 * transaction the cause says whether that transaction can go on (after a deadlock it cannot).
 */
public class EnqueueException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what was to be enqueued and what the database answered. */
  public EnqueueException(String message, Throwable cause) {
    super(message, cause);
  }
}
