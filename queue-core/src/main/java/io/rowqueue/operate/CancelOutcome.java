package io.rowqueue.operate;

/** What became of the wish that a message be cancelled. */
public enum CancelOutcome {
  /** Nobody had claimed it: it is gone. */
  CANCELLED,
  /** Its worker has it, and is asked; whether it ends so is not known yet. */
  REQUESTED
}
