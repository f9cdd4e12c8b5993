package io.rowqueue.spi;

import io.rowqueue.QueueException;

/** A payload lacks a wrapper that its handler requires: whoever wrote it may not have the key. */
public final class NotWrappedException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what is required and what is there. */
  public NotWrappedException(String message) {
    super(message);
  }
}
