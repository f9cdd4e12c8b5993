package io.rowqueue.operate;

import io.rowqueue.QueueException;

/**
 * The operation is not possible in the current state; the message says why. Nothing was changed.
 */
public final class RefusedException extends QueueException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the operation, and why it was refused
   */
  public RefusedException(String message) {
    super(message);
  }
}
