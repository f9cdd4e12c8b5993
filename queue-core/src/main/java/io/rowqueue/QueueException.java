package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * The base class of all failures that RowQueue reports. Each subclass is a failure that a caller
 * can react to; its message says what happened, to which message, and what happens next.
 */
public class QueueException extends RuntimeException {

  /** A failure without a cause. */
  public QueueException(String message) {
    super(message);
  }

  /** A failure caused by {@code cause}. */
  public QueueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
