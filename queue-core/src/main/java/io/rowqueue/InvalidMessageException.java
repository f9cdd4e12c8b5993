package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * A message that cannot be enqueued as it is: its topic, payload, headers or due time is refused.
 * Nothing of it, nor of the batch that it came in, was written; the caller's transaction is as it
 * was.
 */
public final class InvalidMessageException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what is refused and how to mend it. */
  public InvalidMessageException(String message) {
    super(message);
  }

  /** Says what is refused, with the codec's own error. */
  public InvalidMessageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
