package io.rowqueue.operate;

import io.rowqueue.QueueException;

/** What was asked for cannot be done to what is there; the message says why. Nothing changed. */
public final class RefusedException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what was asked for and why it was not done. */
  public RefusedException(String message) {
    super(message);
  }
}
