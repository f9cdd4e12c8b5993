package io.rowqueue.internal.schedule;

import io.rowqueue.handler.MisfirePolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one transaction enqueues for a schedule that is due, and where the schedule goes.
 *
 * @param times the times that the messages stand for, oldest first; at most a hundred
 * @param next the schedule's next firing; empty if the calendar has none
 */
record ScheduledRuns(List<Instant> times, Optional<Instant> next) {

  /** The most that one transaction enqueues of what was missed. */
  static final int MOST = 100;

  ScheduledRuns {
    times = List.copyOf(times);
  }

  /**
   * Those of a schedule whose next firing was {@code due}, at {@code now}, which is not before it.
   */
  static ScheduledRuns of(ScheduleTimes times, Policy policy, Instant due, Instant now) {
    if (policy.missed() == MisfirePolicy.ALL) {
      return all(times, due, now);
    }
    // What is due is due, though the zone's rules or the clock may say something else by now.
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
