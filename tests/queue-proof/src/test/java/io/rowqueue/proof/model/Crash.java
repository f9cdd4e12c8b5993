package io.rowqueue.proof.model;

/** The process ends here: nothing catches it, and nothing of it is settled. */
final class Crash extends Error {

  private static final long serialVersionUID = 1L;

  Crash() {
    super("the process has crashed", null, false, false);
  }
}
