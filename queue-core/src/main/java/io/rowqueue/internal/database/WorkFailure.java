package io.rowqueue.internal.database;

import io.rowqueue.QueueException;

/**
 * Carries an exception of the work itself through {@link Transactions}: rolled back, and never
 * taken for a failure of the database that a repetition could mend. The cause is what the work
 * threw.
 */
public final class WorkFailure extends QueueException {

  private static final long serialVersionUID = 1L;

  private final Throwable thrown;

  /** Wraps what the work threw, and asks it nothing: it may throw something else. */
  public WorkFailure(Throwable thrown) {
    super("the work threw " + thrown.getClass().getName(), thrown);
    this.thrown = thrown;
  }

  /** What the work threw. */
  public Throwable thrown() {
    return thrown;
  }
}
