package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;

/** The dashboard cannot be shown so; the message says why. */
public final class DashboardException extends QueueException {

  private static final long serialVersionUID = 1L;

  public DashboardException(String message) {
    super(message, null);
  }
}
