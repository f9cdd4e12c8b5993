package io.rowqueue.spi;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * A payload that this worker cannot read, although another may: its version is newer than the
 * handler's type, or it needs a wrapper or a key that this worker does not have. The message is
 * released, and dead-lettered only if no worker reads it for long.
 */
public final class UnreadableException extends QueueException {

  /** The message says what is missing, and where to add it. */
  public UnreadableException(String message) {
    super(message);
  }

  /** The message says what is missing, and where to add it. */
  public UnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
