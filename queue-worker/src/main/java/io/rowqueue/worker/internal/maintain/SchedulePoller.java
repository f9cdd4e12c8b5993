package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.Schedules;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs due schedules. The claimer's polls also read the time until the next run, and the loop
 * sleeps until then; when the claimer does not poll, the loop reads it itself. Thread-safe.
 */
@Singleton
public final class SchedulePoller {

  private static final Logger LOG = LoggerFactory.getLogger(SchedulePoller.class);

  /** Random, so that many workers do not start at the same moment. */
  private static final Duration LATE_AT_MOST = Duration.ofMillis(50);

  /** A notification may postpone a full poll once; the tolerance avoids a duplicate query. */
  private static final int POLLS_MISSED = 2;

  private static final Duration LATE_POLL = Duration.ofMillis(400);

  /** The next poll reports times beyond this again, so the loop need not sleep for them. */
  private static final Duration LONGEST_SLEEP = Duration.ofDays(1);

  /** Distinguishes schedules that are no longer declared from those of a long-running worker. */
  private static final Duration DECLARE_AGAIN = Duration.ofHours(6);

  private final ScheduleTrigger trigger;
  private final Schedules schedules;
  private final Map<String, Schedule> declared;
  private final WorkerThreads threads;
  private final Duration pollInterval;
  private final Duration stale;
  private final Semaphore told = new Semaphore(0);

  /** The time of the next run, and when it was read, as {@link System#nanoTime()}. */
  private volatile Known known;

  private volatile long declaredNanos = System.nanoTime();

  private record Known(long dueNanos, long requestedNanos) {}

  @Inject
  SchedulePoller(
      ScheduleTrigger trigger,
      Schedules schedules,
      Map<String, Schedule> declared,
      WorkerConfig config,
      WorkerThreads threads) {
    this.trigger = trigger;
    this.schedules = schedules;
    this.declared = new TreeMap<>(declared);
    this.threads = threads;
    this.pollInterval = config.pollInterval();
    this.stale = pollInterval.multipliedBy(POLLS_MISSED).plus(LATE_POLL);
    this.known = none(System.nanoTime());
  }

  /**
   * Registers the schedules that this worker's modules declare; sends no statement if there are
   * none.
   */
  public void declare() {
    for (Schedule schedule : declared.values()) {
      if (!schedules.declare(schedule)) {
        LOG.info(
            "schedule {} keeps an operator's override, which differs from this worker's code;"
                + " `queue-worker schedules revert {}` removes the override",
            schedule.name(),
            schedule.name());
      }
    }
  }

  /** Confirms that this worker still declares them, even if another worker changed them. */
  public void keepDeclared() {
    if (threads.each("declaring schedules again", declared.keySet(), this::keepDeclared)) {
      declaredNanos = System.nanoTime();
    }
  }

  private void keepDeclared(String name) {
    if (!schedules.keepDeclared(name)) {
      LOG.debug("schedule {} was removed after this worker started", name);
    }
  }

  public void start() {
    threads.repeat("schedule", "running schedules", () -> true, this::turn);
  }

  public PiggybackQuery question() {
    return trigger.question(this::told);
  }

  /** Runs due schedules on the calling thread, for a worker without a loop; returns how many. */
  public int triggerNow() {
    int all = 0;
    int run = trigger.triggerDue();
    while (run > 0) {
      all += run;
      run = trigger.triggerDue();
    }
    return all;
  }

  private void told(Optional<Duration> untilNext) {
    long now = System.nanoTime();
    known = untilNext.map(until -> new Known(now + sleep(until), now)).orElse(none(now));
    if (told.availablePermits() == 0) {
      told.release();
    }
  }

  private static Known none(long now) {
    return new Known(now + LONGEST_SLEEP.toNanos(), now);
  }

  private static long sleep(Duration untilNext) {
    if (!isAhead(untilNext)) {
      return 0;
    }
    Duration sleep = untilNext.compareTo(LONGEST_SLEEP) < 0 ? untilNext : LONGEST_SLEEP;
    return sleep.toNanos() + ThreadLocalRandom.current().nextLong(LATE_AT_MOST.toNanos());
  }

  private void turn() throws InterruptedException {
    if (System.nanoTime() - declaredNanos > DECLARE_AGAIN.toNanos()) {
      keepDeclared();
    }
    Known last = known;
    long now = System.nanoTime();
    long untilDue = last.dueNanos - now;
    long untilStale = last.requestedNanos + stale.toNanos() - now;
    if (untilDue > 0 && untilStale > 0) {
      // A poll has reported another time, so the wait is recomputed.
      told.tryAcquire(Math.min(untilDue, untilStale), TimeUnit.NANOSECONDS);
      told.drainPermits();
      return;
    }
    boolean rests = true;
    try {
      boolean moved = untilDue > 0 || trigger.triggerDue() > 0;
      Optional<Duration> untilNext = trigger.untilNext();
      told(untilNext);
      rests = !moved && untilNext.filter(until -> !isAhead(until)).isPresent();
    } finally {
      if (rests) {
        // Another worker holds the due schedules, or the database is unavailable: wait at least as
        // long as an idle poll.
        threads.pause(pollInterval);
      }
    }
  }

  private static boolean isAhead(Duration until) {
    return !until.isNegative() && !until.isZero();
  }
}
