package io.rowqueue.counter;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * The database refused a counter's operation. Either the call wrote nothing, or its transaction
 * cannot continue: the cause shows which (after a deadlock it cannot continue).
 */
public class CounterException extends QueueException {

  /** The message names the counter and the database's error. */
  public CounterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
