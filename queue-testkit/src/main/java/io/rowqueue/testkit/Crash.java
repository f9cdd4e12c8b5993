package io.rowqueue.testkit;

/** Simulates the death of a test worker's process; only the test worker catches it. */
final class Crash extends Error {

  private static final long serialVersionUID = 1L;

  Crash() {
    super("the test's worker crashes here, as requested", null, false, false);
  }
}
