package io.rowqueue.internal.order;

import java.time.Duration;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

/**
 * The times at which groups with a rate that this process has released may continue. This process
 * then polls at once; the others find the messages by their regular polls. Thread-safe.
 */
final class RateTimer {

  /** Groups whose times are this close are released together. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final long startNanos = System.nanoTime();
  private final ConcurrentSkipListSet<Long> steps = new ConcurrentSkipListSet<>();

  /** A group may continue at {@code at}, by a clock that shows {@code now}. */
  void set(Instant at, Instant now) {
    long nanos = System.nanoTime() - startNanos + Math.max(0, Duration.between(now, at).toNanos());
    steps.add(nanos / STEP_NANOS + 1);
  }

  /** Whether a time has passed since the last call; for one thread, like {@link #wait}. */
  boolean isDue() {
    NavigableSet<Long> passed = steps.headSet((System.nanoTime() - startNanos) / STEP_NANOS, true);
    boolean any = !passed.isEmpty();
    passed.clear();
    return any;
  }

  /** How long until the next time, {@code longest} at most. */
  Duration wait(Duration longest) {
    if (steps.isEmpty()) {
      return longest;
    }
    Duration until =
        Duration.ofNanos(
            Math.max(0, steps.first() * STEP_NANOS - (System.nanoTime() - startNanos)));
    return until.compareTo(longest) < 0 ? until : longest;
  }
}
