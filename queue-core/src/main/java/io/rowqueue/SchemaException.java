package io.rowqueue;

import org.jspecify.annotations.Nullable;

/** The database's schema does not fit this version of RowQueue; the message says what to do. */
public final class SchemaException extends QueueException {

  /** For RowQueue. */
  public SchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
