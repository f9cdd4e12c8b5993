package io.rowqueue.handler;

import java.util.Locale;

/** What to do about missed runs: runs that were due while no worker was running. */
public enum MisfirePolicy {
  /** Missed runs are skipped; a run within the schedule's grace is not missed. */
  SKIP,
  /** Only the latest missed run is enqueued. */
  ONCE,
  /** Each missed run is enqueued, oldest first, a hundred per transaction. */
  ALL;

  /** The name on the command line, such as {@code once}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
