package io.rowqueue.internal.schedule;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns.Policy;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A schedule with its next run, kept in memory instead of a database row, for the queues of tests.
 * Not thread-safe.
 */
public final class DeclaredSchedule {

  private final Schedule schedule;
  private final ScheduleTimes times;
  private Instant next;

  /** As in the table, the grid of an interval starts at its next run. */
  private DeclaredSchedule(Schedule schedule, Instant next) {
    Duration every = schedule.every();
    this.schedule = schedule;
    this.times = every == null ? ScheduleTimes.of(schedule, next) : ScheduleTimes.of(every, next);
    this.next = next;
  }

  /**
   * The state of {@code schedule} if it is set at {@code now}.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never runs
   */
  public static DeclaredSchedule of(Schedule schedule, Instant now) {
    NewMessage unused = schedule.message();
    return new DeclaredSchedule(schedule, ScheduleTimes.first(schedule, now));
  }

  /**
   * Replaces this schedule by {@code changed}, set at {@code now}. The next run is kept unless the
   * expression, zone or interval differs and the run is not due.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never runs
   */
  public DeclaredSchedule changed(Schedule changed, Instant now) {
    DeclaredSchedule fresh = of(changed, now);
    boolean rate = schedule.every() != null;
    return new DeclaredSchedule(
        fresh.schedule,
        hasClockOf(changed) ? next : ScheduleTimes.firstInsteadOf(changed, next, rate, now));
  }

  private boolean hasClockOf(Schedule other) {
    return Objects.equals(schedule.cron(), other.cron())
        && schedule.zone().equals(other.zone())
        && Objects.equals(schedule.every(), other.every());
  }

  /** The time of the next run; later than every other time if it never runs again. */
  public Instant next() {
    return next;
  }

  /**
   * The messages to enqueue at {@code now} according to the policy for missed runs, at most a
   * hundred; advances to the next run.
   */
  public List<NewMessage> trigger(Instant now) {
    if (next.isAfter(now)) {
      return List.of();
    }
    Policy policy = new Policy(schedule.misfirePolicy(), schedule.grace());
    ScheduledRuns runs = ScheduledRuns.of(times, policy, next, now);
    next = runs.next().orElse(ScheduleTimes.NEVER);
    return runs.times().stream().map(this::triggeredAt).toList();
  }

  public NewMessage triggeredAt(Instant time) {
    return JooqScheduleRow.triggered(schedule.message(), schedule.name(), time);
  }
}
