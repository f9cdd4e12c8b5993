package io.rowqueue.handle;

/** What kind of handler a binding has. */
public enum HandlerKind {
  /** A {@link MessageHandler}. */
  MESSAGE,
  /** A {@link ResultHandler}. */
  RESULT,
  /** A {@link BatchHandler}. */
  BATCH;

  /** The kind of the handlers of {@code type}. */
  static HandlerKind of(Class<?> type) {
    if (BatchHandler.class.isAssignableFrom(type)) {
      return BATCH;
    }
    return ResultHandler.class.isAssignableFrom(type) ? RESULT : MESSAGE;
  }
}
