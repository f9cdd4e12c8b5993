package io.rowqueue.testkit;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * The database server for tests cannot be used: it is not installed, does not start, or does not do
 * what the testkit asks of it. The message says what to change.
 */
public class TestServerException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what is wrong and how to mend it. */
  public TestServerException(String message) {
    super(message);
  }

  /** The same, with what showed it. */
  public TestServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
