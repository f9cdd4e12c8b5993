package io.rowqueue.seal;

import io.rowqueue.QueueException;

/** A keyset that cannot be read, or that payloads cannot be sealed with. Never shows a key. */
public final class KeysetException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says which keyset, and what is wrong with it. */
  public KeysetException(String message) {
    super(message);
  }
}
