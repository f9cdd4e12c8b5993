package io.rowqueue.schedule;

import io.rowqueue.message.NewMessage;
import java.time.Instant;
import java.util.List;

/**
 * A schedule on its way through time, where no database keeps its row: for queues that tests have
 * in memory. Not thread-safe.
 */
public final class StandingSchedule {

  private final Schedule schedule;
  private final ScheduleTimes times;
  private Instant next;

  private StandingSchedule(Schedule schedule, Instant now) {
    this.schedule = schedule;
    this.times = schedule.times(now);
    this.next = schedule.first(now);
  }

  /**
   * {@code schedule} as it stands when it is set at {@code now}.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never fires
   */
  public static StandingSchedule of(Schedule schedule, Instant now) {
    NewMessage unused = schedule.message();
    return new StandingSchedule(schedule, now);
  }

  /**
   * The same behind {@code changed}, set at {@code now}: the next firing stays, unless expression,
   * zone or rate differ, and it is not due.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never fires
   */
  public StandingSchedule changed(Schedule changed, Instant now) {
    StandingSchedule after = of(changed, now);
    after.next =
        changed.hasClockOf(schedule)
            ? next
            : changed.firstInsteadOf(next, schedule.every() != null, now);
    return after;
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
    Policy policy = new Policy(schedule.missed(), schedule.grace());
    Firings firings = Firings.of(times, policy, next, now);
    next = firings.next().orElse(Schedule.NEVER);
    return firings.times().stream().map(this::firedAt).toList();
  }

  /** The message of a firing that stands for {@code time}. */
  public NewMessage firedAt(Instant time) {
    return JooqScheduleRow.fired(schedule.message(), schedule.name(), time);
  }
}
