package io.rowqueue.worker.internal.doctor;

/** How bad a finding is, from the best to the worst. */
public enum Severity {
  /** As it should be. */
  OK,
  /** Could not be looked at. */
  UNKNOWN,
  /** Works, but slower, later or less safely than it could. */
  WARNING,
  /** Messages are not handled, or would not be. */
  PROBLEM
}
