package io.rowqueue.internal.schedule;

import io.rowqueue.handler.MisfirePolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The messages that one transaction enqueues for a due schedule, and the schedule's next run.
 *
 * @param times the scheduled times of the messages, oldest first; at most a hundred
 * @param next the schedule's next run; empty if the calendar has none
 */
record ScheduledRuns(List<Instant> times, Optional<Instant> next) {

  /** The maximum number of missed runs that one transaction enqueues. */
  static final int MOST = 100;

  ScheduledRuns {
    times = List.copyOf(times);
  }

  /**
   * The runs of a schedule whose next run was {@code due}, at {@code now}, which is not earlier.
   */
  static ScheduledRuns of(ScheduleTimes times, Policy policy, Instant due, Instant now) {
    if (policy.missed() == MisfirePolicy.ALL) {
      return all(times, due, now);
    }
    // A due run stays due, even if the zone's rules or the clock have changed since.
    Instant latest = times.upTo(now).filter(time -> time.isAfter(due)).orElse(due);
    List<Instant> fired = policy.leavesOut(latest, now) ? List.of() : List.of(latest);
    return new ScheduledRuns(fired, times.after(now));
  }

  private static ScheduledRuns all(ScheduleTimes times, Instant due, Instant now) {
    List<Instant> passed = new ArrayList<>();
    Optional<Instant> next = Optional.of(due);
    while (passed.size() < MOST && next.filter(time -> !time.isAfter(now)).isPresent()) {
      passed.add(next.get());
      next = times.after(next.get());
    }
    return new ScheduledRuns(passed, next);
  }
}
