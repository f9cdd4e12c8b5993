package io.rowqueue.internal.schedule;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A schedule on its way through time, where no database keeps its row: for queues that tests have
 * in memory. Not thread-safe.
 */
public final class DeclaredSchedule {

  private final Schedule schedule;
  private final ScheduleTimes times;
  private Instant next;

  /** As in the table, the grid of a rate begins at its next firing. */
  private DeclaredSchedule(Schedule schedule, Instant next) {
    Duration every = schedule.every();
    this.schedule = schedule;
    this.times = every == null ? ScheduleTimes.of(schedule, next) : ScheduleTimes.of(every, next);
    this.next = next;
  }

  /**
   * {@code schedule} as it stands when it is set at {@code now}.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never fires
   */
  public static DeclaredSchedule of(Schedule schedule, Instant now) {
    NewMessage unused = schedule.message();
    return new DeclaredSchedule(schedule, ScheduleTimes.first(schedule, now));
  }

  /**
   * The same behind {@code changed}, set at {@code now}: the next firing stays, unless expression,
   * zone or rate differ, and it is not due.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never fires
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

  /** When it fires next; a time beyond all others if it never does again. */
  public Instant next() {
    return next;
  }

  /**
   * What it enqueues at {@code now}, as its policy says of firings that were missed, a hundred at
   * most; from then on it stands at its next firing.
   */
  public List<NewMessage> fire(Instant now) {
    if (next.isAfter(now)) {
      return List.of();
    }
    Policy policy = new Policy(schedule.misfirePolicy(), schedule.grace());
    ScheduledRuns firings = ScheduledRuns.of(times, policy, next, now);
    next = firings.next().orElse(ScheduleTimes.NEVER);
    return firings.times().stream().map(this::triggeredAt).toList();
  }

  /** The message of a firing that stands for {@code time}. */
  public NewMessage triggeredAt(Instant time) {
    return JooqScheduleRow.fired(schedule.message(), schedule.name(), time);
  }
}
