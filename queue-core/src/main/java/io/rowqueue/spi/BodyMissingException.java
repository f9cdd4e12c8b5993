package io.rowqueue.spi;

import io.rowqueue.QueueException;

/**
 * A message's payload lies beside its row, and is not there, or is not what was written: no attempt
 * reads another.
 */
public final class BodyMissingException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what is missing. */
  public BodyMissingException(String message) {
    super(message);
  }

  /** Says what is missing, and how that was seen. */
  public BodyMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
