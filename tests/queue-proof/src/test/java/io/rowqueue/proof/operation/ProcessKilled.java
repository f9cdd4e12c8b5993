package io.rowqueue.proof.operation;

/**
 * Ends what a process was doing, as SIGKILL does: nothing that the process would do about a failure
 * happens.
 */
public final class ProcessKilled extends Error {

  private static final long serialVersionUID = 1L;

  /** Of a process that is dead from now on. */
  public ProcessKilled() {
    super("the process is dead", null, false, false);
  }
}
