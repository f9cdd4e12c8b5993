package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * A message that cannot be enqueued, because its topic, payload, headers or due time is invalid.
 * Nothing of it, nor of the call that it was part of, was written; the caller's transaction is
 * unchanged.
 */
public final class InvalidMessageException extends QueueException {

  /** The message says what is invalid, and how to fix it. */
  public InvalidMessageException(String message) {
    super(message);
  }

  /** The message says what is invalid. */
  public InvalidMessageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
