package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A payload that lies beside its message's row cannot be read just now; it may be in a while. */
public final class BodyUnavailableException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what keeps it from being read. */
  public BodyUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
