package io.rowqueue.internal.schedule;

import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The run times of a schedule. Strictly ascending, and independent of the time from which they are
 * computed. Immutable.
 */
public interface ScheduleTimes {

  /** The next run of a schedule that never runs again. */
  Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  /** The first run after {@code time}; empty if there is none within fifty years. */
  Optional<Instant> after(Instant time);

  /** The last run that is not after {@code time}; empty if there is none within fifty years. */
  Optional<Instant> upTo(Instant time);

  /** The times at which {@code syntax} matches the wall clock of {@code zone}. */
  static ScheduleTimes of(CronSyntax syntax, ZoneId zone) {
    return syntax.hasFixedTimes()
        ? new FixedTimes(syntax, zone.getRules())
        : new WallClockTimes(syntax, zone.getRules());
  }

  /**
   * The run times of {@code schedule} if it is set at {@code now}; an interval without a start
   * begins one interval later.
   */
  static ScheduleTimes of(Schedule schedule, Instant now) {
    Duration every = schedule.every();
    if (every == null) {
      return of(CronSyntax.parse(Objects.requireNonNull(schedule.cron())), schedule.zone());
    }
    Instant start = schedule.startingAt();
    return of(every, start == null ? now.plus(every) : start);
  }

  /**
   * The first run of {@code schedule} if it is set at {@code now}.
   *
   * @throws InvalidScheduleException if it would not run within fifty years
   */
  static Instant first(Schedule schedule, Instant now) {
    Instant start = schedule.startingAt();
    // A run at exactly the start counts.
    Instant from = start == null || start.isBefore(now) ? now : start.minusNanos(1_000);
    return of(schedule, now)
        .after(from)
        .orElseThrow(
            () ->
                new InvalidScheduleException(
                    "schedule '%s' would not run within fifty years after %s"
                        .formatted(schedule.name(), from)));
  }

  /**
   * The next run of {@code schedule} if it is set at {@code now} and replaces a cron expression or
   * interval whose next run is {@code next}. A run that is due is kept. If an interval replaces
   * another, the earlier next run is kept: two versions that are deployed at once replace each
   * other's interval again and again, and the schedule would never run. A start time that was given
   * is used in any case.
   *
   * @param rate whether the replaced one is an interval
   */
  static Instant firstInsteadOf(Schedule schedule, Instant next, boolean rate, Instant now) {
    if (!next.isAfter(now)) {
      return next;
    }
    Instant first = first(schedule, now);
    boolean kept = rate && schedule.every() != null && schedule.startingAt() == null;
    return kept && next.isBefore(first) ? next : first;
  }

  /** A grid of {@code every} that starts at {@code first}. */
  static ScheduleTimes of(Duration every, Instant first) {
    return new RateTimes(every, first);
  }

  /** A grid: never now plus the rate, which would drift. Reckoned in the server's microseconds. */
  record RateTimes(Duration every, Instant first) implements ScheduleTimes {

    @Override
    public Optional<Instant> after(Instant time) {
      return Optional.of(upTo(time).map(last -> last.plus(every)).orElse(first));
    }

    @Override
    public Optional<Instant> upTo(Instant time) {
      if (time.isBefore(first)) {
        return Optional.empty();
      }
      long passed = ChronoUnit.MICROS.between(first, time);
      return Optional.of(first.plus(passed - passed % micros(), ChronoUnit.MICROS));
    }

    private long micros() {
      return every.toNanos() / 1_000;
    }
  }

  /**
   * Each wall time is one run. A wall time in the gap of a clock change runs when the gap ends; one
   * that occurs twice runs the first time. So wall times map to instants in order, and everything
   * between two wall times can be skipped. Cron's own rule, made exact.
   */
  record FixedTimes(CronSyntax syntax, ZoneRules rules) implements ScheduleTimes {

    @Override
    public Optional<Instant> after(Instant time) {
      return syntax.after(passed(time)).map(this::instant);
    }

    @Override
    public Optional<Instant> upTo(Instant time) {
      return syntax.upTo(passed(time)).map(this::instant);
    }

    /** The last wall time whose run is not after {@code time}. */
    private LocalDateTime passed(Instant time) {
      LocalDateTime wall = LocalDateTime.ofInstant(time, rules.getOffset(time));
      ZoneOffsetTransition repeated = rules.getTransition(wall);
      boolean again =
          repeated != null && repeated.isOverlap() && !time.isBefore(repeated.getInstant());
      return again ? repeated.getDateTimeBefore().minusNanos(1) : wall;
    }

    private Instant instant(LocalDateTime wall) {
      ZoneOffsetTransition transition = rules.getTransition(wall);
      if (transition == null) {
        return wall.toInstant(rules.getOffset(wall));
      }
      return transition.isGap()
          ? transition.getInstant()
          : wall.toInstant(transition.getOffsetBefore());
    }
  }

  /**
   * Runs whenever the wall clock matches: never in a gap, and twice in a repeated hour. Between two
   * transitions of the zone the offset is constant, so the computation steps from one transition to
   * the next.
   */
  record WallClockTimes(CronSyntax syntax, ZoneRules rules) implements ScheduleTimes {

    @Override
    public Optional<Instant> after(Instant time) {
      Instant from = time;
      LocalDateTime wall = wall(time);
      while (true) {
        Optional<Instant> next = instant(syntax.after(wall), rules.getOffset(from));
        ZoneOffsetTransition end = rules.nextTransition(from);
        if (next.isEmpty() || end == null || next.get().isBefore(end.getInstant())) {
          return next;
        }
        from = end.getInstant();
        wall = wall(from).minusNanos(1);
      }
    }

    @Override
    public Optional<Instant> upTo(Instant time) {
      Instant from = time;
      while (true) {
        Optional<Instant> last = instant(syntax.upTo(wall(from)), rules.getOffset(from));
        ZoneOffsetTransition begin = rules.previousTransition(from.plusNanos(1));
        if (last.isEmpty() || begin == null || !last.get().isBefore(begin.getInstant())) {
          return last;
        }
        from = begin.getInstant().minusNanos(1);
      }
    }

    private LocalDateTime wall(Instant time) {
      return LocalDateTime.ofInstant(time, rules.getOffset(time));
    }

    private static Optional<Instant> instant(Optional<LocalDateTime> wall, ZoneOffset offset) {
      return wall.map(found -> found.toInstant(offset));
    }
  }

  /**
   * The messages that one transaction enqueues for a due schedule, and the schedule's next run.
   *
   * @param times the scheduled times of the messages, oldest first; at most a hundred
   * @param next the schedule's next run; empty if the calendar has none
   */
  record ScheduledRuns(List<Instant> times, Optional<Instant> next) {

    /** The maximum number of missed runs that one transaction enqueues. */
    static final int MOST = 100;

    public ScheduledRuns {
      times = List.copyOf(times);
    }

    /**
     * The runs of a schedule whose next run was {@code due}, at {@code now}, which is not earlier.
     */
    static ScheduledRuns of(ScheduleTimes times, Policy policy, Instant due, Instant now) {
      if (policy.missed() == MisfirePolicy.ALL) {
        return all(times, due, now, policy.mostRuns());
      }
      // A due run stays due, even if the zone's rules or the clock have changed since.
      Instant latest = times.upTo(now).filter(time -> time.isAfter(due)).orElse(due);
      List<Instant> run = policy.leavesOut(latest, now) ? List.of() : List.of(latest);
      return new ScheduledRuns(run, times.after(now));
    }

    private static ScheduledRuns all(ScheduleTimes times, Instant due, Instant now, int most) {
      List<Instant> passed = new ArrayList<>();
      Optional<Instant> next = Optional.of(due);
      while (passed.size() < most && next.filter(time -> !time.isAfter(now)).isPresent()) {
        passed.add(next.get());
        next = times.after(next.get());
      }
      return new ScheduledRuns(passed, next);
    }

    /**
     * The policy for missed runs.
     *
     * @param grace for {@link MisfirePolicy#SKIP}: a run that is later than this counts as missed
     * @param mostRuns for {@link MisfirePolicy#ALL}: the most runs of one transaction
     */
    record Policy(MisfirePolicy missed, Duration grace, int mostRuns) {

      Policy(MisfirePolicy missed, Duration grace) {
        this(missed, grace, MOST);
      }

      Policy withMostRuns(int most) {
        return new Policy(missed, grace, most);
      }

      /** Whether the run at {@code time} is skipped at {@code now}. */
      boolean leavesOut(Instant time, Instant now) {
        return missed == MisfirePolicy.SKIP && time.isBefore(now.minus(grace));
      }
    }
  }
}
