package io.rowqueue.handler;

import io.rowqueue.NewMessage;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.schedule.CronSyntax;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A schedule: a name, a cron expression in a time zone or a fixed interval, and the message that
 * each run enqueues. Immutable and thread-safe; each method returns a copy.
 *
 * <pre>{@code
 * Schedule.cron("report.daily", "30 6 * * MON-FRI", ZoneId.of("Europe/Berlin"))
 *     .enqueues(NewMessage.of("report.make", new MakeReport("daily")))
 *     .onMisfire(MisfirePolicy.ONCE)
 * }</pre>
 *
 * <p>Each message carries the schedule's name ({@link #NAME_HEADER}) and the scheduled time of the
 * run ({@link #TIME_HEADER}) in its headers.
 */
public final class Schedule {

  /** The header with the schedule's name. */
  public static final String NAME_HEADER = Headers.RESERVED + "schedule";

  /** The header with the scheduled time of the run, as ISO-8601 in UTC. */
  public static final String TIME_HEADER = Headers.RESERVED + "scheduled-for";

  /** The length of the column, in characters. */
  private static final int LONGEST_NAME = 128;

  private static final int LONGEST_ZONE = 64;

  private static final Duration LEAST_RATE = Duration.ofSeconds(1);

  /** Well below the range of a long of nanoseconds, and the maximum delay of a message. */
  private static final Duration LONGEST = Duration.ofDays(36_525);

  private static final Duration GRACE = Duration.ofMinutes(1);

  private static final Instant LATEST = Instant.parse("9998-12-30T00:00:00Z");

  private static final Instant EARLIEST = Instant.parse("1970-01-02T00:00:00Z");

  private final String name;
  private final Clock clock;
  private final @Nullable Instant startingAt;
  private final @Nullable NewMessage message;
  private final MisfirePolicy misfirePolicy;
  private final Duration grace;

  private Schedule(
      String name,
      Clock clock,
      @Nullable Instant startingAt,
      @Nullable NewMessage message,
      MisfirePolicy misfirePolicy,
      Duration grace) {
    this.name = name;
    this.clock = clock;
    this.startingAt = startingAt;
    this.message = message;
    this.misfirePolicy = misfirePolicy;
    this.grace = grace;
  }

  /** Either a cron expression or an interval. */
  private record Clock(@Nullable String cron, ZoneId zone, @Nullable Duration every) {}

  /**
   * Runs when the wall clock of {@code zone} matches {@code expression}.
   *
   * @param expression a cron expression of five fields, or {@code @hourly} to {@code @yearly}
   * @throws InvalidScheduleException if it is invalid, or the name cannot be stored
   */
  public static Schedule cron(String name, String expression, ZoneId zone) {
    String checked = checked(name);
    if (zone.getId().length() > LONGEST_ZONE) {
      throw new InvalidScheduleException(
          "schedule '%s' cannot have the zone '%s': more than %d characters"
              .formatted(name, zone, LONGEST_ZONE));
    }
    try {
      CronSyntax.parse(expression);
    } catch (InvalidScheduleException e) {
      throw new InvalidScheduleException(
          "schedule '%s' is invalid: %s".formatted(name, e.getMessage()));
    }
    return new Schedule(
        checked, new Clock(expression, zone, null), null, null, MisfirePolicy.ONCE, GRACE);
  }

  /**
   * Runs every {@code every}, first one interval after it is set, in whole microseconds.
   *
   * @throws InvalidScheduleException if it is less than a second or more than 100 years, or the
   *     name cannot be stored
   */
  public static Schedule every(String name, Duration every) {
    Clock clock = new Clock(null, ZoneOffset.UTC, rate(checked(name), every));
    return new Schedule(name, clock, null, null, MisfirePolicy.ONCE, GRACE);
  }

  /** {@code every} in whole microseconds; rejects an interval outside the allowed range. */
  private static Duration rate(String name, Duration every) {
    if (every.compareTo(LEAST_RATE) < 0 || every.compareTo(LONGEST) > 0) {
      throw new InvalidScheduleException(
          "schedule '%s' cannot run every %s: an interval is between a second and 100 years"
              .formatted(name, Humanize.duration(every)));
    }
    return every.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * Sets the earliest first run; the grid of an interval starts there. Used only when the schedule
   * is new or its cron expression or interval changes.
   *
   * @throws InvalidScheduleException if the year is before 1970 or beyond 9998
   */
  public Schedule startingAt(Instant first) {
    if (first.isBefore(EARLIEST) || !first.isBefore(LATEST)) {
      throw new InvalidScheduleException(
          "schedule '%s' cannot start at %s: the year must be from 1970 to 9998"
              .formatted(name, first));
    }
    Instant micros = first.truncatedTo(ChronoUnit.MICROS);
    return new Schedule(name, clock, micros, message, misfirePolicy, grace);
  }

  /**
   * Each run enqueues a copy of {@code each}, available at once.
   *
   * @throws InvalidScheduleException if it has a due time, a delay, or a key: for deduplication,
   *     ordering or a limit
   */
  public Schedule enqueues(NewMessage each) {
    if (each.deduplication() != null) {
      throw new InvalidScheduleException(
          "the message of schedule '%s' cannot have a deduplication key; a schedule runs once in the cluster anyway"
              .formatted(name));
    }
    if (each.orderingKey() != null) {
      throw new InvalidScheduleException(
          "the message of schedule '%s' cannot have an ordering key or a limit's key; to prevent overlapping runs, limit its topic to one message at a time"
              .formatted(name));
    }
    if (each.dueAt() != null || !each.delay().isZero()) {
      throw new InvalidScheduleException(
          "the message of schedule '%s' is due when it runs, not later".formatted(name));
    }
    return new Schedule(name, clock, startingAt, each, misfirePolicy, grace);
  }

  /** Sets what to do about missed runs; {@link MisfirePolicy#ONCE} by default. */
  public Schedule onMisfire(MisfirePolicy policy) {
    Objects.requireNonNull(policy, "policy");
    return new Schedule(name, clock, startingAt, message, policy, grace);
  }

  /**
   * For {@link MisfirePolicy#SKIP}: a run that is later than this counts as missed; a minute by
   * default, in whole microseconds.
   *
   * @throws InvalidScheduleException if {@code late} is negative or more than 100 years
   */
  public Schedule withGrace(Duration late) {
    if (late.isNegative() || late.compareTo(LONGEST) > 0) {
      throw new InvalidScheduleException(
          "the grace of schedule '%s' must be between zero and 100 years, not %s"
              .formatted(name, Humanize.duration(late)));
    }
    Duration micros = late.truncatedTo(ChronoUnit.MICROS);
    return new Schedule(name, clock, startingAt, message, misfirePolicy, micros);
  }

  /** Its name, at most 128 printable ASCII characters without spaces. */
  public String name() {
    return name;
  }

  /** The cron expression; null if it has an interval. */
  public @Nullable String cron() {
    return clock.cron;
  }

  /** The time zone of the cron expression; UTC if it has an interval. */
  public ZoneId zone() {
    return clock.zone;
  }

  /** The interval, in whole microseconds; null if it has a cron expression. */
  public @Nullable Duration every() {
    return clock.every;
  }

  /** The earliest time of the first run; null if it was not set. */
  public @Nullable Instant startingAt() {
    return startingAt;
  }

  /**
   * The message that each run enqueues.
   *
   * @throws InvalidScheduleException if none was set
   */
  public NewMessage message() {
    if (message == null) {
      throw new InvalidScheduleException(
          "schedule '%s' has no message; set it by enqueues(...)".formatted(name));
    }
    return message;
  }

  /** What to do about missed runs. */
  public MisfirePolicy misfirePolicy() {
    return misfirePolicy;
  }

  /** How late a run may be before it counts as missed, in whole microseconds. */
  public Duration grace() {
    return grace;
  }

  private static String checked(String name) {
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || !name.chars().allMatch(character -> character > ' ' && character <= '~')) {
      throw new InvalidScheduleException(
          "schedule '%s' cannot be stored: a name has 1 to %d printable ASCII characters without spaces"
              .formatted(name, LONGEST_NAME));
    }
    return name;
  }

  /** Its name and timing only: the message may hold secrets. */
  @Override
  public String toString() {
    return "Schedule[%s, %s]"
        .formatted(name, clock.cron == null ? clock.every : clock.cron + " " + clock.zone);
  }
}
