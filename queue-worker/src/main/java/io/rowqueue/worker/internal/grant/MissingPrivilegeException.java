package io.rowqueue.worker.internal.grant;

import io.rowqueue.QueueException;

/** The account lacks privileges of its role; the message lists them. */
public final class MissingPrivilegeException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Names the account and role, and the command that prints the grants. */
  public MissingPrivilegeException(String message) {
    super(message);
  }
}
