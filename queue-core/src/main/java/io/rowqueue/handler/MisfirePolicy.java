package io.rowqueue.handler;

import java.util.Locale;

/** What happens to the firings for which no worker was there. */
public enum MisfirePolicy {
  /** They are left out; what is no later than the schedule's grace does not count as missed. */
  SKIP,
  /** The latest of them is enqueued, whatever their number. */
  ONCE,
  /** Each of them is enqueued, oldest first, a hundred in a transaction. */
  ALL;

  /** The name as the command line takes it, such as {@code once}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
