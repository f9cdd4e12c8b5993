package io.rowqueue.proof.crash.victim;

/**
 * A message of the crash test.
 *
 * @param what how its handling ends
 */
public record Step(What what) {

  /** The topic of all of them. */
  public static final String TOPIC = "crash";

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
    WAIT_ONCE
  }
}
