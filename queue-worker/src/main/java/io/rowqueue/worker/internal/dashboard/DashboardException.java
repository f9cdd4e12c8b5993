package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;

/** The dashboard cannot be served with this configuration; the message gives the reason. */
public final class DashboardException extends QueueException {

  private static final long serialVersionUID = 1L;

  public DashboardException(String message) {
    super(message, null);
  }
}
