package io.rowqueue.operate;

import java.util.Locale;

/** What becomes of those that wait in line behind a message that is a dead letter now. */
public enum DeadLetterPolicy {
  /** They wait until it is redriven and handled, or deleted: nothing happens out of order. */
  BLOCK,
  /** They go on without it; redriven, it comes next. */
  SKIP;

  /** The name as the command line takes it, such as {@code skip}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
