package io.rowqueue.spi;

import io.rowqueue.QueueException;

/**
 * A payload lacks a wrapper that its handler requires, so its producer may not have had the key.
 */
public final class NotWrappedException extends QueueException {

  /** The message says which wrappers are required and present. */
  public NotWrappedException(String message) {
    super(message);
  }
}
