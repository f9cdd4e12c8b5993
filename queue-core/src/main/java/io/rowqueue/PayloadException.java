package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * A payload that a codec cannot encode or decode. At enqueue it refuses the message; when a claim
 * is handled it makes a dead letter at once, since another attempt would read the same bytes.
 */
public final class PayloadException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says which type was meant and what is wrong with the value or the bytes. */
  public PayloadException(String message) {
    super(message);
  }

  /** The same, with the underlying library's error. */
  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
