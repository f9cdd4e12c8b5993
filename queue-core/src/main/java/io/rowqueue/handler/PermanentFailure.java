package io.rowqueue.handler;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler for which no further attempt can help: the transaction is rolled back and the
 * message becomes a dead letter at once, with this error as its reason.
 */
public class PermanentFailure extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says why no attempt can succeed. */
  public PermanentFailure(String message) {
    super(message);
  }

  /** Says why no attempt can succeed, and what showed it. */
  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
