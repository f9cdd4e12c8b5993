package io.rowqueue.internal.database;

/**
 * Sees every transaction of the protocol pass. Costs nothing in production, where {@link #NONE} is
 * bound; tests stop or kill the process at a chosen point, and metrics count. Thread-safe.
 */
public interface TransactionProbe {

  /** Looks on and does nothing. */
  TransactionProbe NONE = new TransactionProbe() {};

  /** The work is done and the COMMIT is about to be sent. */
  default void beforeCommit(Transition transition) {}

  /** The server has answered that it committed. */
  default void afterCommit(Transition transition) {}

  /** It was rolled back for {@code cause} and will run again as a whole. */
  default void repeated(Transition transition, Throwable cause) {}
}
