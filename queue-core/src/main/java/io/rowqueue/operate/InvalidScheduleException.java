package io.rowqueue.operate;

import io.rowqueue.QueueException;

/** A schedule that is invalid; nothing has been changed. */
public final class InvalidScheduleException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** For RowQueue. */
  public InvalidScheduleException(String message) {
    super(message);
  }
}
