package io.rowqueue.worker.internal.dashboard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many rows a statement of a search reads: fewer where they are large, since the server cancels
 * long statements of the dashboard. Confined to one thread.
 */
final class SearchStep {

  /** Some ten milliseconds if no row matches, none is large, and all are in memory. */
  private static final int MOST = 5_000;

  /** Rows that were not read recently come from the disk. */
  private static final int FIRST = 500;

  /** Payloads have up to several megabytes. */
  private static final int FIRST_PAYLOADS = 50;

  private static final long QUICK = Duration.ofMillis(10).toNanos();
  private static final long SLOW = Duration.ofMillis(25).toNanos();

  /** How long a page searches; the user continues, or chooses a longer time. */
  static final Duration PAGE_TIME = Duration.ofMillis(80);

  /** How long the total of a bulk change is counted, for its progress bar. */
  static final Duration PROGRESS_TIME = Duration.ofSeconds(1);

  private static final int MOST_SECONDS = 10;

  private int rows;

  /** Returns how long the page of {@code query} searches. */
  static Duration time(Params query) {
    long seconds = query.number("seconds", 0, MOST_SECONDS);
    return seconds == 0 ? PAGE_TIME : Duration.ofSeconds(seconds);
  }

  /** Returns the address of {@code call}'s page with the longest search; null if that is it. */
  static @Nullable String longer(Call call) {
    return time(call.query()).equals(PAGE_TIME)
        ? call.path() + call.query().with("seconds", String.valueOf(MOST_SECONDS))
        : null;
  }

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
