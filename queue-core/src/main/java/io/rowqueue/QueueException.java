package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * The root of every failure that RowQueue reports. A subclass stands for one failure that a caller
 * can act on; its message says what happened, to which message, and what happens next.
 */
public class QueueException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A failure without a cause of its own. */
  public QueueException(String message) {
    super(message);
  }

  /** A failure that {@code cause} brought about. */
  public QueueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
