package io.rowqueue.internal.schedule;

import io.rowqueue.internal.schedule.CronLine.Field;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The wall times that match a cron expression. Independent of time zones. Every field is a set of
 * bits, bit n for the value n. Immutable.
 */
public final class CronSyntax {

  /** The length of the column. */
  private static final int LONGEST = 255;

  /** The longest interval that the calendar allows, 29 February on a given weekday, is 40 years. */
  private static final int HORIZON_YEARS = 50;

  /**
   * Leap days are up to eight years apart, so an expression that matches no day in nine years
   * matches none.
   */
  private static final LocalDate PROBE = LocalDate.of(2000, 1, 1);

  private static final int PROBE_YEARS = 9;

  private static final int DAY_MINUTES = 24 * 60;

  private final long minutes;
  private final long hours;
  private final long days;
  private final long months;
  private final long weekdays;
  private final boolean eitherDay;
  private final boolean fixedTimes;

  private CronSyntax(CronLine line) {
    minutes = line.set(Field.MINUTE);
    hours = line.set(Field.HOUR);
    days = line.set(Field.DAY);
    months = line.set(Field.MONTH);
    weekdays = line.set(Field.WEEKDAY);
    eitherDay = !line.isOpen(Field.DAY) && !line.isOpen(Field.WEEKDAY);
    fixedTimes = !line.isOpen(Field.MINUTE) && !line.isOpen(Field.HOUR);
  }

  /**
   * Parses {@code expression}.
   *
   * @throws InvalidScheduleException if it is not a valid cron expression, or matches no day that
   *     ever comes
   */
  public static CronSyntax parse(String expression) {
    try {
      if (expression.length() > LONGEST) {
        throw new InvalidScheduleException("it is longer than " + LONGEST + " characters");
      }
      CronSyntax syntax = new CronSyntax(CronLine.parse(expression));
      if (PROBE.datesUntil(PROBE.plusYears(PROBE_YEARS)).noneMatch(syntax::matches)) {
        throw new InvalidScheduleException("it matches no day in nine years");
      }
      return syntax;
    } catch (InvalidScheduleException e) {
      throw new InvalidScheduleException(
          "cron expression '%s' cannot be used: %s".formatted(expression, e.getMessage()));
    }
  }

  /**
   * Returns {@code expression} in English, for people; empty if it is invalid, or the library has
   * no words for it.
   */
  public static Optional<String> words(String expression) {
    try {
      return Optional.of(CronLine.parse(expression).words());
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether each wall time is exactly one run: neither the minute nor the hour field begins with an
   * asterisk.
   */
  boolean hasFixedTimes() {
    return fixedTimes;
  }

  /** The first wall time after {@code time}; empty if there is none within fifty years. */
  Optional<LocalDateTime> after(LocalDateTime time) {
    return nearest(time.truncatedTo(ChronoUnit.MINUTES).plusMinutes(1), 1);
  }

  /**
   * The last wall time that is not after {@code time}; empty if there is none within fifty years.
   */
  Optional<LocalDateTime> upTo(LocalDateTime time) {
    return nearest(time, -1);
  }

  private Optional<LocalDateTime> nearest(LocalDateTime from, int step) {
    LocalDate today = from.toLocalDate();
    if (matches(today)) {
      OptionalInt minute = minute(from.getHour() * 60 + from.getMinute(), step);
      if (minute.isPresent()) {
        return Optional.of(at(today, minute));
      }
    }
    return today
        .plusDays(step)
        .datesUntil(today.plusYears((long) step * HORIZON_YEARS), Period.ofDays(step))
        .filter(this::matches)
        .findFirst()
        .map(day -> at(day, minute(step > 0 ? 0 : DAY_MINUTES - 1, step)));
  }

  private OptionalInt minute(int from, int step) {
    return IntStream.iterate(
            from, minute -> minute >= 0 && minute < DAY_MINUTES, minute -> minute + step)
        .filter(minute -> has(hours, minute / 60) && has(minutes, minute % 60))
        .findFirst();
  }

  private static LocalDateTime at(LocalDate day, OptionalInt minuteOfDay) {
    return day.atStartOfDay().plusMinutes(minuteOfDay.orElseThrow());
  }

  private boolean matches(LocalDate day) {
    if (!has(months, day.getMonthValue())) {
      return false;
    }
    boolean last = has(days, CronLine.LAST) && day.getDayOfMonth() == day.lengthOfMonth();
    boolean ofMonth = last || has(days, day.getDayOfMonth());
    boolean ofWeek = has(weekdays, day.getDayOfWeek().getValue() % 7);
    return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
  }

  private static boolean has(long set, int value) {
    return (set >>> value & 1) == 1;
  }
}
