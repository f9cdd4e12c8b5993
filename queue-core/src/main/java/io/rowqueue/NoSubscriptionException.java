package io.rowqueue;

/** A message was published with copies required, but no topic is subscribed to its source. */
public final class NoSubscriptionException extends QueueException {

  /** The message names the source. */
  public NoSubscriptionException(String message) {
    super(message);
  }
}
