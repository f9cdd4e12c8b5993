package io.rowqueue;

/** A message was published that somebody must get, and nobody is subscribed to its source. */
public final class NoSubscriptionException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says under which source. */
  public NoSubscriptionException(String message) {
    super(message);
  }
}
