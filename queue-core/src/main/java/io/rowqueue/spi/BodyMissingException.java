package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A separately stored payload is missing or damaged; another attempt cannot help. */
public final class BodyMissingException extends QueueException {

  /** The message says what is missing. */
  public BodyMissingException(String message) {
    super(message);
  }

  /** The message says what is missing. */
  public BodyMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
