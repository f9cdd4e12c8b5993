package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.worker.internal.doctor.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the doctor when a page is opened, on a thread of its own and at most once a minute, however
 * many operators ask; for the overview at most every five minutes. Thread-safe.
 */
final class DoctorRuns {

  static final Duration EVERY = Duration.ofMinutes(1);

  static final Duration EVERY_FOR_OVERVIEW = Duration.ofMinutes(5);

  /** How long the request that starts a run waits for its result. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Supplier<List<Finding>> doctor;
  private final Executor threads;
  private final LongSupplier clock;
  private @Nullable Result last;
  private boolean running;
  private boolean ended;
  private long endedNanos;

  /**
   * Creates it.
   *
   * @param doctor never throws
   * @param clock as {@link System#nanoTime()}
   */
  DoctorRuns(Supplier<List<Finding>> doctor, Executor threads, LongSupplier clock) {
    this.doctor = doctor;
    this.threads = threads;
    this.clock = clock;
  }

  /** The findings of one run. */
  record Result(List<Finding> findings, Instant at, Duration took) {}

  /** The last result, null before the first, and whether a run is under way. */
  record State(@Nullable Result last, boolean running) {}

  /**
   * Returns the last result, and starts a run if that is older than a minute; waits for it for two
   * seconds.
   */
  synchronized State read() {
    if (start(EVERY)) {
      await();
    }
    return new State(last, running);
  }

  /**
   * Returns the last result at once, and starts a run in the background if that is older than five
   * minutes; null before the first.
   */
  synchronized @Nullable Result glance() {
    start(EVERY_FOR_OVERVIEW);
    return last;
  }

  /** Returns whether it starts a run, since the last one is older. */
  private boolean start(Duration older) {
    if (running || (ended && clock.getAsLong() - endedNanos < older.toNanos())) {
      return false;
    }
    running = true;
    try {
      threads.execute(this::run);
    } catch (Throwable e) {
      // The system cannot start a thread now; the next request tries again.
      running = false;
      throw e;
    }
    return true;
  }

  private void await() {
    try {
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (long left = end - System.nanoTime();
          running && left > 0;
          left = end - System.nanoTime()) {
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    Instant at = Instant.now();
    long start = clock.getAsLong();
    List<Finding> findings = null;
    try {
      findings = doctor.get();
    } finally {
      ended(findings, at, start);
    }
  }

  private synchronized void ended(@Nullable List<Finding> findings, Instant at, long start) {
    long end = clock.getAsLong();
    if (findings != null) {
      last = new Result(findings, at, Duration.ofNanos(end - start));
    }
    ended = true;
    endedNanos = end;
    running = false;
    notifyAll();
  }
}
