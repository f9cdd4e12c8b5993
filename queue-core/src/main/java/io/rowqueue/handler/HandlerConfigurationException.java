package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The bindings of handlers contradict each other, or a handler cannot be created; the message
 * identifies them.
 */
public final class HandlerConfigurationException extends QueueException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message which bindings, and how to fix them
   */
  public HandlerConfigurationException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message which bindings, and how to fix them
   * @param cause the cause
   */
  public HandlerConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
