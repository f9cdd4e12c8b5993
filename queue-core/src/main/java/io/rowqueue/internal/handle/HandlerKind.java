package io.rowqueue.internal.handle;

import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;

/** The kind of a binding's handler. */
public enum HandlerKind {
  /** A {@link MessageHandler}. */
  MESSAGE,
  /** A {@link ResultHandler}. */
  RESULT,
  /** A {@link BatchHandler}. */
  BATCH;

  /** The kind of the handlers of {@code type}. */
  public static HandlerKind of(Class<?> type) {
    if (BatchHandler.class.isAssignableFrom(type)) {
      return BATCH;
    }
    return ResultHandler.class.isAssignableFrom(type) ? RESULT : MESSAGE;
  }
}
