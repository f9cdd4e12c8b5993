package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A separately stored payload cannot be read at the moment; a later attempt may succeed. */
public final class BodyUnavailableException extends QueueException {

  /** The message says why it cannot be read. */
  public BodyUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
