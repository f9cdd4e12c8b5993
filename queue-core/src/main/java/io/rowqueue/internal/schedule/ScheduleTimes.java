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
 * The instants at which a schedule fires. Strictly ascending, and the same from wherever they are
 * asked for. Immutable.
 */
public interface ScheduleTimes {

  /** The next run of a schedule that never runs again. */
  Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  /** The first firing after {@code time}; none if there is none in fifty years. */
  Optional<Instant> after(Instant time);

  /** The last firing that is not after {@code time}; none if there is none in fifty years. */
  Optional<Instant> upTo(Instant time);

  /** What {@code syntax} names on the wall clock of {@code zone}. */
  static ScheduleTimes of(CronSyntax syntax, ZoneId zone) {
    return syntax.hasFixedTimes()
        ? new FixedTimes(syntax, zone.getRules())
        : new WallClockTimes(syntax, zone.getRules());
  }

  /**
   * When {@code schedule} runs if it is set at {@code now}; a rate without a start begins one step
   * later.
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
    // A firing at the very start counts.
    Instant from = start == null || start.isBefore(now) ? now : start.minusNanos(1_000);
    return of(schedule, now)
        .after(from)
        .orElseThrow(
            () ->
                new InvalidScheduleException(
                    "schedule '%s' would not fire in fifty years after %s"
                        .formatted(schedule.name(), from)));
  }

  /**
   * The next run of {@code schedule} if it is set at {@code now} over another clock whose next run
   * is {@code next}. What is due fires. A rate that changes again and again, as while two versions
   * are deployed, would else begin anew each time and never fire: the earlier end stays.
   *
   * @param rate whether that other clock is a rate
   */
  static Instant firstInsteadOf(Schedule schedule, Instant next, boolean rate, Instant now) {
    if (!next.isAfter(now)) {
      return next;
    }
    Instant first = first(schedule, now);
    return rate && schedule.every() != null && next.isBefore(first) ? next : first;
  }

  /** A grid of {@code every} that begins at {@code first}. */
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
