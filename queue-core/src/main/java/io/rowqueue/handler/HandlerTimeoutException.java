package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;

/** A handler exceeded its timeout and was interrupted. */
public final class HandlerTimeoutException extends QueueException {

  /** For RowQueue. */
  public HandlerTimeoutException(Duration timeout) {
    super(
        "the handler ran longer than its timeout of "
            + Humanize.duration(timeout)
            + " and was stopped");
  }
}
