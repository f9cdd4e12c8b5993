package io.rowqueue.worker.internal.doctor;

/** The severity of a finding, from best to worst. */
public enum Severity {
  /** As it should be. */
  OK,
  /** The check could not be performed. */
  UNKNOWN,
  /** Works, but slower, later or less safely than it could. */
  WARNING,
  /** Messages are not processed, or would not be. */
  PROBLEM
}
