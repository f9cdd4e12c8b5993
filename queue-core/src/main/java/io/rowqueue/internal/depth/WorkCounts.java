package io.rowqueue.internal.depth;

import java.time.Duration;
import java.util.Arrays;

/**
 * What workers did with messages of one topic in some time. An instance is not thread-safe.
 *
 * <p>The figures are in one array, in the order of the table's columns, since all of them are only
 * ever added up.
 */
public final class WorkCounts {

  static final int HANDLING_MICROS = 3;
  static final int HANDLING = 4;
  static final int PICKUP = HANDLING + Histogram.BUCKETS;

  /** The number of figures. */
  static final int FIGURES = PICKUP + Histogram.BUCKETS;

  private final long[] figures;

  WorkCounts(long[] figures) {
    this.figures = figures;
  }

  /** Nothing. */
  public static WorkCounts none() {
    return new WorkCounts(new long[FIGURES]);
  }

  /** Returns the sum. */
  public WorkCounts plus(WorkCounts other) {
    long[] sum = figures.clone();
    Arrays.setAll(sum, i -> sum[i] + other.figures[i]);
    return new WorkCounts(sum);
  }

  /** Returns whether all figures are zero. */
  public boolean isNone() {
    return Arrays.stream(figures).allMatch(figure -> figure == 0);
  }

  long figure(int number) {
    return figures[number];
  }

  /** Returns the number of messages that were acknowledged. */
  public long completed() {
    return figures[0];
  }

  /** Returns the number of failed attempts that are retried. */
  public long retried() {
    return figures[1];
  }

  /** Returns the number of messages that workers dead-lettered. */
  public long deadLettered() {
    return figures[2];
  }

  /** Returns the number of failed attempts. */
  public long failed() {
    return retried() + deadLettered();
  }

  /** Returns the time that handler threads were busy, of all threads together. */
  public Duration handlingTime() {
    return Duration.ofNanos(1_000 * figures[HANDLING_MICROS]);
  }

  /** Returns the attempts by handling time, for {@link Histogram#percentile}. */
  public long[] handling() {
    return Arrays.copyOfRange(figures, HANDLING, PICKUP);
  }

  /** Returns the first attempts by pickup latency, for {@link Histogram#percentile}. */
  public long[] pickup() {
    return Arrays.copyOfRange(figures, PICKUP, FIGURES);
  }
}
