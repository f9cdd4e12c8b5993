package io.rowqueue.operate;

/** The outcome of a cancellation request. */
public enum CancelOutcome {
  /** The message was not claimed, and is deleted. */
  CANCELLED,
  /** A worker has claimed it and is requested to cancel it; the final outcome is not known yet. */
  REQUESTED
}
