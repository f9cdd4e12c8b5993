package io.rowqueue.worker.internal.admin;

import io.rowqueue.QueueException;

/** The admin port cannot be opened; the message gives the reason. */
public final class AdminException extends QueueException {

  private static final long serialVersionUID = 1L;

  AdminException(String message, Throwable cause) {
    super(message, cause);
  }
}
