package io.rowqueue.internal.schedule;

import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
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
   * other's interval again and again, and the schedule would never run.
   *
   * @param rate whether the replaced one is an interval
   */
  static Instant firstInsteadOf(Schedule schedule, Instant next, boolean rate, Instant now) {
    if (!next.isAfter(now)) {
      return next;
    }
    Instant first = first(schedule, now);
    return rate && schedule.every() != null && next.isBefore(first) ? next : first;
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
}
