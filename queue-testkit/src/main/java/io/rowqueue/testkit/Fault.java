package io.rowqueue.testkit;

/** What may happen to one handling of a {@link TestWorker}. */
public enum Fault {
  /** The process dies when the message is claimed, and before its handler is called. */
  CRASH_BEFORE_HANDLER,
  /** The process dies when the handler has returned; its transaction is not committed. */
  CRASH_AFTER_HANDLER,
  /** The process dies when the message is deleted in its transaction, and before the COMMIT. */
  CRASH_BEFORE_COMMIT,
  /** The process dies behind the COMMIT, before it knows that it happened. */
  CRASH_AFTER_COMMIT,
  /** The COMMIT happens, and the connection is lost before its answer comes. */
  COMMIT_ANSWER_LOST,
  /** Another worker gets the message while the handler runs. */
  CLAIM_LOST,
  /**
   * The handler's first statement is a deadlock's victim: the server rolls its transaction back.
   */
  DEADLOCK,
  /** The message comes again after it was handled and committed, as after a fail-over. */
  DELIVERED_TWICE
}
