package io.rowqueue.operate;

import java.util.Locale;

/** What happens to the messages of an ordering key behind a dead letter. */
public enum DeadLetterPolicy {
  /** They wait until it is redriven and handled, or deleted: the order is kept. */
  BLOCK,
  /** They proceed without it; if it is redriven, it is handled next. */
  SKIP;

  /** The name on the command line, such as {@code skip}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
