package io.rowqueue.schedule;

import io.rowqueue.message.NewMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What comes by the clock: a name, a cron expression in a zone or a fixed rate, and the message
 * that each firing enqueues. Immutable and thread-safe; each method returns a copy.
 */
public final class Schedule {

  private static final int LONGEST_NAME = 128;
  private static final Duration LEAST_RATE = Duration.ofSeconds(1);

  private final String name;
  private final @Nullable String cron;
  private final ZoneId zone;
  private final @Nullable Duration every;
  private final @Nullable Instant startingAt;
  private final @Nullable NewMessage message;
  private final Missed missed;

  private Schedule(
      String name,
      @Nullable String cron,
      ZoneId zone,
      @Nullable Duration every,
      @Nullable Instant startingAt,
      @Nullable NewMessage message,
      Missed missed) {
    this.name = name;
    this.cron = cron;
    this.zone = zone;
    this.every = every;
    this.startingAt = startingAt;
    this.message = message;
    this.missed = missed;
  }

  /**
   * Fires when the wall clock of {@code zone} shows what {@code expression} names.
   *
   * @param expression a crontab line of five fields, or {@code @hourly} to {@code @yearly}
   * @throws InvalidScheduleException if it is none, or the name cannot be stored
   */
  public static Schedule cron(String name, String expression, ZoneId zone) {
    CronSyntax.parse(expression);
    return new Schedule(
        checked(name),
        expression,
        Objects.requireNonNull(zone, "zone"),
        null,
        null,
        null,
        Missed.ONCE);
  }

  /**
   * Fires every {@code every}, first one step after it is set, in whole microseconds.
   *
   * @throws InvalidScheduleException if it is less than a second, or the name cannot be stored
   */
  public static Schedule every(String name, Duration every) {
    if (every.compareTo(LEAST_RATE) < 0) {
      throw new InvalidScheduleException(
          "schedule '%s' cannot fire every %s: at least a second".formatted(name, every));
    }
    return new Schedule(
        checked(name),
        null,
        ZoneOffset.UTC,
        every.truncatedTo(ChronoUnit.MICROS),
        null,
        null,
        Missed.ONCE);
  }

  /** Its first firing is at {@code first} or after it; a rate's grid begins there. */
  public Schedule startingAt(Instant first) {
    Instant micros = first.truncatedTo(ChronoUnit.MICROS);
    return new Schedule(name, cron, zone, every, micros, message, missed);
  }

  /**
   * Each firing enqueues a copy of {@code each}, available at once.
   *
   * @throws InvalidScheduleException if it has a due time or a delay
   */
  public Schedule enqueues(NewMessage each) {
    if (each.dueAt() != null || !each.delay().isZero()) {
      throw new InvalidScheduleException(
          "the message of schedule '%s' is due when it fires, not later".formatted(name));
    }
    return new Schedule(name, cron, zone, every, startingAt, each, missed);
  }

  /** What happens to firings for which no worker was there; {@link Missed#ONCE} by default. */
  public Schedule whenMissed(Missed policy) {
    return new Schedule(name, cron, zone, every, startingAt, message, policy);
  }

  /** Its name, at most 128 printable ASCII characters. */
  public String name() {
    return name;
  }

  /** Its first firing if it is set at {@code now}. */
  Instant first(Instant now) {
    if (every != null) {
      Instant first = startingAt == null ? now.plus(every) : startingAt;
      return first.isAfter(now) ? first : ScheduleTimes.of(every, first).after(now).orElseThrow();
    }
    // A firing at the very start counts.
    Instant from =
        startingAt == null || startingAt.isBefore(now) ? now : startingAt.minusNanos(1_000);
    return times(cron).after(from).orElseThrow(() -> never(now));
  }

  private ScheduleTimes times(@Nullable String expression) {
    return ScheduleTimes.of(CronSyntax.parse(Objects.requireNonNull(expression)), zone);
  }

  private InvalidScheduleException never(Instant now) {
    return new InvalidScheduleException(
        "schedule '%s' would not fire in fifty years after %s".formatted(name, now));
  }

  @Nullable String cron() {
    return cron;
  }

  ZoneId zone() {
    return zone;
  }

  @Nullable Duration every() {
    return every;
  }

  NewMessage message() {
    if (message == null) {
      throw new InvalidScheduleException("schedule '%s' enqueues nothing".formatted(name));
    }
    return message;
  }

  Missed missed() {
    return missed;
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
}
