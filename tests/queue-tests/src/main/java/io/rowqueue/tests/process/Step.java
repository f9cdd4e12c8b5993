package io.rowqueue.tests.process;

/**
 * A message of the crash test.
 *
 * @param what how its handling ends
 */
public record Step(What what) {

  /** Handled one by one. */
  public static final String TOPIC = "crash";

  /** Handled in shared commits. */
  public static final String SHARED_TOPIC = "crash.shared";

  /** Handled in batches. */
  public static final String BATCH_TOPIC = "crash.batch";

  /** Handled without a transaction, and so without an effect in this database. */
  public static final String OUTSIDE_TOPIC = "crash.outside";

  /** Handled one by one, and what its handler gives back is kept. */
  public static final String RESULT_TOPIC = "crash.result";

  /** SQL for the name of the lock behind which a handling waits, one of each schema. */
  public static final String GO = "CONCAT('go-', DATABASE())";

  /** How a handling ends, after it has written its effect. */
  public enum What {
    /** Well. */
    SUCCEED,
    /** The first attempt fails, the second ends well. */
    FAIL_ONCE,
    /** No attempt can end well. */
    REJECT,
    /** The first claim is given back, the second ends well. */
    GIVE_BACK,
    /** The first claim ends only when it is interrupted, the second ends well. */
    WAIT_ONCE,
    /** The first claim ends when the lock {@link Step#GO} is free. */
    WAIT_FOR_GO,
    /** The first claim reports how far it is, until it is interrupted; the second ends well. */
    REPORT,
    /** Waits until it is asked to stop, and stops. */
    HEED
  }
}
