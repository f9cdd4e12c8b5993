package io.rowqueue.handler;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler if no further attempt can help: the transaction is rolled back and the
 * message is dead-lettered at once, with this error as its reason.
 */
public class PermanentFailure extends QueueException {

  /** The message says why no attempt can succeed. */
  public PermanentFailure(String message) {
    super(message);
  }

  /** The message says why no attempt can succeed. */
  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
