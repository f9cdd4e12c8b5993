package io.rowqueue.proof.crash.victim;

/** Where in a COMMIT a process dies. */
public enum Moment {
  /** The work is done, and the COMMIT is not sent. */
  BEFORE,
  /** The server has committed; its answer never reaches the process. */
  DURING,
  /** The process has the server's answer, and has done nothing with it. */
  AFTER;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
