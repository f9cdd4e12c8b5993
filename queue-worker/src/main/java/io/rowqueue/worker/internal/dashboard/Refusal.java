package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;

/** A rejected request, with its status and message. */
final class Refusal extends QueueException {

  private static final long serialVersionUID = 1L;

  private final int status;

  Refusal(int status, String message) {
    super(message, null);
    this.status = status;
  }

  int status() {
    return status;
  }
}
