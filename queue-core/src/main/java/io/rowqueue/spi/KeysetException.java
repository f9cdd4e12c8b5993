package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A keyset that cannot be read, or that cannot encrypt payloads. Never shows a key. */
public final class KeysetException extends QueueException {

  private final boolean away;

  /**
   * The message says which keyset, and what is wrong with it; for {@code away} see {@link #isAway}.
   */
  public KeysetException(String message, boolean away) {
    super(message);
    this.away = away;
  }

  /** Whether it could not be reached, so that a later attempt may succeed. */
  public boolean isAway() {
    return away;
  }
}
