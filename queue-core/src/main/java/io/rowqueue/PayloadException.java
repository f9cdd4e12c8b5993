package io.rowqueue;

import org.jspecify.annotations.Nullable;

/**
 * A payload that a codec cannot encode or decode. When enqueuing, it rejects the message; when
 * handling, it dead-letters the message at once, since another attempt would read the same bytes.
 */
public final class PayloadException extends QueueException {

  /** The message names the expected type, and what is wrong with the value or the bytes. */
  public PayloadException(String message) {
    super(message);
  }

  /** The message names the expected type, and what is wrong with the value or the bytes. */
  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
