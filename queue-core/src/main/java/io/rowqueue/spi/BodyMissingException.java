package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A separately stored payload is missing or damaged; another attempt cannot help. */
public final class BodyMissingException extends QueueException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is missing
   */
  public BodyMissingException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what is missing
   * @param cause how that was detected
   */
  public BodyMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
