package io.rowqueue.tests.process;

/** Where in a COMMIT a process dies. */
public enum Moment {
  /** The work is done, and the COMMIT is not sent. */
  BEFORE,
  /**
   * The server has committed; its answer never reaches the process, or reaches it and nothing is
   * done with it: to the server both are the same.
   */
  DURING;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
