package io.rowqueue.worker.internal;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/** The worker cannot start with these settings; the message says why. */
public final class WorkerStartException extends QueueException {

  public WorkerStartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
