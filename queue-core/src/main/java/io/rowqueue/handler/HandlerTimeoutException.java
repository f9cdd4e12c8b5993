package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.Spoken;
import java.time.Duration;

/** A handling took longer than its binding allows, and was interrupted. */
public final class HandlerTimeoutException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** For RowQueue. */
  public HandlerTimeoutException(Duration timeout) {
    super(
        "the handler ran longer than its timeout of " + Spoken.time(timeout) + " and was stopped");
  }
}
