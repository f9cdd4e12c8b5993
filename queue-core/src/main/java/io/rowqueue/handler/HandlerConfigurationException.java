package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The bindings of handlers contradict each other, or a handler cannot be created; the message
 * identifies them.
 */
public final class HandlerConfigurationException extends QueueException {

  /** The message names the bindings, and says how to fix them. */
  public HandlerConfigurationException(String message) {
    super(message);
  }

  /** The message names the bindings, and says how to fix them. */
  public HandlerConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
