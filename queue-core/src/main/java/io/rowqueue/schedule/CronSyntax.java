package io.rowqueue.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A crontab line's five fields, and the wall times that they name. Knows nothing of zones. Every
 * field is a set of bits, bit n for the value n. Immutable.
 */
final class CronSyntax {

  private static final Map<String, String> NICKNAMES =
      Map.of(
          "@hourly", "0 * * * *",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@weekly", "0 0 * * 0",
          "@monthly", "0 0 1 * *",
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *");

  /** What the column holds. */
  private static final int LONGEST = 255;

  /** The longest wait that the calendar knows, 29 February on a given weekday, is 40 years. */
  private static final int HORIZON_YEARS = 50;

  /** Two leap days lie up to eight years apart; who names no day in nine means none. */
  private static final LocalDate PROBE = LocalDate.of(2000, 1, 1);

  private static final int PROBE_YEARS = 9;

  private final long minutes;
  private final long hours;
  private final long days;
  private final long months;
  private final long weekdays;
  private final boolean eitherDay;
  private final boolean fixedTimes;

  private CronSyntax(String[] fields) {
    minutes = CronField.MINUTE.parse(fields[0]);
    hours = CronField.HOUR.parse(fields[1]);
    days = CronField.DAY.parse(fields[2]);
    months = CronField.MONTH.parse(fields[3]);
    weekdays = CronField.WEEKDAY.parse(fields[4]);
    eitherDay = !fields[2].startsWith("*") && !fields[4].startsWith("*");
    fixedTimes = !fields[0].startsWith("*") && !fields[1].startsWith("*");
  }

  /**
   * Reads {@code expression}.
   *
   * @throws InvalidScheduleException if it is not a crontab line, or names no day that ever comes
   */
  static CronSyntax parse(String expression) {
    try {
      if (expression.length() > LONGEST) {
        throw new InvalidScheduleException("it is longer than " + LONGEST + " characters");
      }
      CronSyntax syntax = new CronSyntax(fields(expression.strip()));
      if (syntax.dayFrom(PROBE, PROBE.plusYears(PROBE_YEARS)).isEmpty()) {
        throw new InvalidScheduleException("it names no day in nine years");
      }
      return syntax;
    } catch (InvalidScheduleException e) {
      throw new InvalidScheduleException(
          "cron expression '%s' cannot be used: %s".formatted(expression, e.getMessage()));
    }
  }

  private static String[] fields(String expression) {
    if (expression.startsWith("@")) {
      String line = NICKNAMES.get(expression.toLowerCase(Locale.ROOT));
      if (line == null) {
        throw new InvalidScheduleException("of the words with @ it takes @hourly to @yearly");
      }
      return line.split(" ");
    }
    String[] fields = expression.split("\\s+");
    if (fields.length != 5) {
      throw new InvalidScheduleException(
          "it has %d fields, not the five: minute, hour, day of the month, month, day of the week"
              .formatted(fields.length));
    }
    return fields;
  }

  /**
   * Whether each of its wall times means one firing: neither the minute nor the hour field begins
   * with an asterisk.
   */
  boolean hasFixedTimes() {
    return fixedTimes;
  }

  /** The first wall time after {@code time}; none if the calendar has none in fifty years. */
  Optional<LocalDateTime> after(LocalDateTime time) {
    LocalDateTime from = time.truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
    LocalDate today = from.toLocalDate();
    if (matches(today)) {
      int minute = timeFrom(minuteOfDay(from));
      if (minute >= 0) {
        return Optional.of(at(today, minute));
      }
    }
    return dayFrom(today.plusDays(1), today.plusYears(HORIZON_YEARS))
        .map(day -> at(day, timeFrom(0)));
  }

  /** The last wall time that is not after {@code time}; none if there is none in fifty years. */
  Optional<LocalDateTime> upTo(LocalDateTime time) {
    LocalDate today = time.toLocalDate();
    if (matches(today)) {
      int minute = timeUpTo(minuteOfDay(time));
      if (minute >= 0) {
        return Optional.of(at(today, minute));
      }
    }
    return dayUpTo(today.minusDays(1), today.minusYears(HORIZON_YEARS))
        .map(day -> at(day, timeUpTo(24 * 60 - 1)));
  }

  private Optional<LocalDate> dayFrom(LocalDate first, LocalDate end) {
    LocalDate day = first;
    while (day.isBefore(end)) {
      if (!has(months, day.getMonthValue())) {
        day = day.withDayOfMonth(1).plusMonths(1);
      } else if (matches(day)) {
        return Optional.of(day);
      } else {
        day = day.plusDays(1);
      }
    }
    return Optional.empty();
  }

  private Optional<LocalDate> dayUpTo(LocalDate last, LocalDate end) {
    LocalDate day = last;
    while (day.isAfter(end)) {
      if (!has(months, day.getMonthValue())) {
        day = day.withDayOfMonth(1).minusDays(1);
      } else if (matches(day)) {
        return Optional.of(day);
      } else {
        day = day.minusDays(1);
      }
    }
    return Optional.empty();
  }

  private boolean matches(LocalDate day) {
    if (!has(months, day.getMonthValue())) {
      return false;
    }
    boolean last = has(days, CronField.LAST) && day.getDayOfMonth() == day.lengthOfMonth();
    boolean ofMonth = last || has(days, day.getDayOfMonth());
    boolean ofWeek = has(weekdays, day.getDayOfWeek().getValue() % 7);
    return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
  }

  private int timeFrom(int minuteOfDay) {
    for (int minute = minuteOfDay; minute < 24 * 60; minute++) {
      if (has(hours, minute / 60) && has(minutes, minute % 60)) {
        return minute;
      }
    }
    return -1;
  }

  private int timeUpTo(int minuteOfDay) {
    for (int minute = minuteOfDay; minute >= 0; minute--) {
      if (has(hours, minute / 60) && has(minutes, minute % 60)) {
        return minute;
      }
    }
    return -1;
  }

  private static int minuteOfDay(LocalDateTime time) {
    return time.getHour() * 60 + time.getMinute();
  }

  private static LocalDateTime at(LocalDate day, int minuteOfDay) {
    return day.atTime(LocalTime.of(minuteOfDay / 60, minuteOfDay % 60));
  }

  private static boolean has(long set, int value) {
    return (set >>> value & 1) == 1;
  }
}
