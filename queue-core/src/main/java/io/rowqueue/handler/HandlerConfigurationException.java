package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The bindings of handlers contradict each other, or a handler cannot be made; the message names
 * them.
 */
public final class HandlerConfigurationException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says which bindings, and what to do. */
  public HandlerConfigurationException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public HandlerConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
