package io.rowqueue.spi;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * A payload that this worker cannot read yet, though another may: its version is newer than the
 * handler's type, or it needs a wrapper or a key that is not here. The message is given back, and
 * becomes a dead letter only if that goes on for long.
 */
public final class UnreadableException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what is missing here, and where it stands. */
  public UnreadableException(String message) {
    super(message);
  }

  /** The same, with what showed that it is missing. */
  public UnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
