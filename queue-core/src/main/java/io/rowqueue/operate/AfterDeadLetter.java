package io.rowqueue.operate;

import java.util.Locale;

/** What becomes of those that wait in line behind a message that is a dead letter now. */
public enum AfterDeadLetter {
  /** They wait until it is redriven and handled, or deleted: nothing happens out of order. */
  HOLD,
  /** They go on without it; redriven, it comes next. */
  SET_ASIDE;

  /** The name as the command line takes it, such as {@code set-aside}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
