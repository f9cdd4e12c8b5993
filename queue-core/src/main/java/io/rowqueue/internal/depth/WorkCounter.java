package io.rowqueue.internal.depth;

import io.rowqueue.handler.Outcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/** Adds up in memory what one worker did with messages of one topic. Thread-safe. */
public final class WorkCounter {

  private final AtomicLongArray figures = new AtomicLongArray(WorkCounts.FIGURES);

  /** What {@link #written} has confirmed. Confined to the thread that writes. */
  private final long[] written = new long[WorkCounts.FIGURES];

  /** Counts the end of a claim. */
  public void settled(Outcome outcome) {
    switch (outcome) {
      case ACKED, HANDLED -> figures.incrementAndGet(0);
      case RETRIED -> figures.incrementAndGet(1);
      case DEAD_LETTERED -> figures.incrementAndGet(2);
      default -> {
        // Neither success nor failure: the message will be handled again, or was not processed.
      }
    }
  }

  /** Counts the duration of an attempt. */
  public void handled(long nanos) {
    long micros = nanos / 1_000;
    figures.addAndGet(WorkCounts.HANDLING_MICROS, micros);
    figures.incrementAndGet(WorkCounts.HANDLING + Histogram.bucket(micros));
  }

  /** Counts the time from the due time of a message to its first attempt. */
  public void pickedUp(Duration latency) {
    figures.incrementAndGet(WorkCounts.PICKUP + Histogram.bucket(latency.toNanos() / 1_000));
  }

  /** Returns what has not been written yet. For one thread, as is {@link #written}. */
  public WorkCounts unwritten() {
    long[] counts = new long[WorkCounts.FIGURES];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = figures.get(i) - written[i];
    }
    return new WorkCounts(counts);
  }

  /** Confirms that {@code counts} were written. */
  public void written(WorkCounts counts) {
    for (int i = 0; i < written.length; i++) {
      written[i] += counts.figure(i);
    }
  }
}
