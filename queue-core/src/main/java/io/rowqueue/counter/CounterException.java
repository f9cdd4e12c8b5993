package io.rowqueue.counter;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what a counter was asked for. Nothing of the call was written, or its
 * transaction cannot go on: the cause says which (after a deadlock it cannot).
 */
public class CounterException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says which counter it was, and what the database answered. */
  public CounterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
