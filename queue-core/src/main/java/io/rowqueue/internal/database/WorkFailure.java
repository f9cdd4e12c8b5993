package io.rowqueue.internal.database;

import io.rowqueue.QueueException;

/**
 * Carries an exception of the work itself through {@link Transactions}: the transaction is rolled
 * back, and the exception is not mistaken for a database failure that a retry could fix. The cause
 * is the exception of the work.
 */
public final class WorkFailure extends QueueException {

  private static final long serialVersionUID = 1L;

  private final Throwable thrown;

  /** Wraps the exception of the work without calling its methods, which might throw. */
  public WorkFailure(Throwable thrown) {
    super("the work threw " + thrown.getClass().getName(), thrown);
    this.thrown = thrown;
  }

  /** The exception of the work. */
  public Throwable thrown() {
    return thrown;
  }
}
