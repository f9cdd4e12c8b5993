package io.rowqueue.internal.database;

/**
 * Observes every transaction of the protocol. Costs nothing in production, where {@link #NONE} is
 * bound; tests stop or kill the process at a chosen point, and metrics count. Thread-safe.
 */
public interface TransactionProbe {

  /** Does nothing. */
  TransactionProbe NONE = new TransactionProbe() {};

  /** The work is done and the COMMIT is about to be sent. */
  default void beforeCommit(Transition transition) {}

  /** The server has confirmed the COMMIT. */
  default void afterCommit(Transition transition) {}

  /** It was rolled back because of {@code cause} and will be repeated as a whole. */
  default void repeated(Transition transition, Throwable cause) {}
}
