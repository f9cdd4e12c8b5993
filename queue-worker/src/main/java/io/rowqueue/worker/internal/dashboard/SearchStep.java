package io.rowqueue.worker.internal.dashboard;

import java.time.Duration;

/**
 * How many rows a statement of a search reads: fewer where they are large, since the server cancels
 * long statements of the dashboard. Confined to one thread.
 */
final class SearchStep {

  /** Some ten to thirty milliseconds if no row matches and none is large. */
  private static final int MOST = 5_000;

  /** Rows that were not read recently come from the disk. */
  private static final int FIRST = 500;

  /** Payloads have up to several megabytes. */
  private static final int FIRST_PAYLOADS = 50;

  private static final long QUICK = Duration.ofMillis(50).toNanos();
  private static final long SLOW = Duration.ofMillis(250).toNanos();

  private int rows;

  SearchStep(boolean readsPayloads) {
    this.rows = readsPayloads ? FIRST_PAYLOADS : FIRST;
  }

  int rows() {
    return rows;
  }

  /** Records how long a statement took. */
  void took(long nanos) {
    if (nanos > SLOW) {
      rows = Math.max(1, rows / 4);
    } else if (nanos < QUICK) {
      rows = Math.min(MOST, rows * 2);
    }
  }
}
