package io.rowqueue.testkit;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * The database server for tests cannot be used: it is not installed, does not start, or does not do
 * what the testkit asks of it. The message says what to change.
 */
public class TestServerException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Describes the fault and its remedy. */
  public TestServerException(String message) {
    super(message);
  }

  /** Describes the fault and its remedy, with the cause. */
  public TestServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
