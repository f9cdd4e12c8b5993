package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A keyset that cannot be read, or that payloads cannot be sealed with. Never shows a key. */
public final class KeysetException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final boolean away;

  /** Says which keyset, what is wrong with it, and whether it was {@link #isAway}. */
  public KeysetException(String message, boolean away) {
    super(message);
    this.away = away;
  }

  /** Whether it could not be reached, so that a later try may go well. */
  public boolean isAway() {
    return away;
  }
}
