package io.rowqueue.testkit;

/** The process of a test's worker is dead; nothing catches this but the test's worker. */
final class Crash extends Error {

  private static final long serialVersionUID = 1L;

  Crash() {
    super("the test's worker crashes here, as requested", null, false, false);
  }
}
