package io.rowqueue.testkit;

/** A fault injected into one attempt of a {@link TestWorker}. */
public enum Fault {
  /** The process dies after the claim, before the handler is called. */
  CRASH_BEFORE_HANDLER,
  /** The process dies after the handler has returned; its transaction is not committed. */
  CRASH_AFTER_HANDLER,
  /** The process dies after the message is deleted in the transaction, before the COMMIT. */
  CRASH_BEFORE_COMMIT,
  /** The process dies after the COMMIT, before it receives the answer. */
  CRASH_AFTER_COMMIT,
  /** The COMMIT succeeds, but the connection is lost before the answer. */
  COMMIT_ANSWER_LOST,
  /** Another worker claims the message while the handler runs. */
  CLAIM_LOST,
  /**
   * The handler's first statement is a deadlock's victim: the server rolls its transaction back.
   */
  DEADLOCK,
  /** The message is redelivered after it was committed, as after a failover. */
  DELIVERED_TWICE
}
