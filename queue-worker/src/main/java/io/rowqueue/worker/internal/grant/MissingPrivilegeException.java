package io.rowqueue.worker.internal.grant;

import io.rowqueue.QueueException;

/** The account may not do what its role takes; the message names what it lacks. */
public final class MissingPrivilegeException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says who lacks what, and where the grants are. */
  public MissingPrivilegeException(String message) {
    super(message);
  }
}
