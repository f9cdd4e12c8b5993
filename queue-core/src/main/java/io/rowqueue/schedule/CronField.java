package io.rowqueue.schedule;

import java.util.List;
import java.util.Locale;

/** One of the five fields of a crontab line: which values it takes, and their names. */
enum CronField {
  MINUTE("minute", 0, 59, ""),
  HOUR("hour", 0, 23, ""),
  DAY("day of the month", 1, 31, ""),
  MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
  WEEKDAY("day of the week", 0, 7, "SUN MON TUE WED THU FRI SAT");

  /** The bit of {@code L}, the last day of the month. */
  static final int LAST = 32;

  private final String label;
  private final int least;
  private final int most;
  private final String names;

  CronField(String label, int least, int most, String names) {
    this.label = label;
    this.least = least;
    this.most = most;
    this.names = names;
  }

  /**
   * The set of values that {@code text} names, bit n for n; Sunday is bit 0.
   *
   * @throws InvalidScheduleException if it is none of crontab's
   */
  long parse(String text) {
    long set = 0;
    for (String item : text.split(",", -1)) {
      set |= item(item.toUpperCase(Locale.ROOT));
    }
    return this == WEEKDAY ? (set | set >>> 7) & 0x7F : set;
  }

  private long item(String item) {
    if (this == DAY && item.equals("L")) {
      return 1L << LAST;
    }
    int slash = item.indexOf('/');
    String range = slash < 0 ? item : item.substring(0, slash);
    int step = slash < 0 ? 1 : number(item.substring(slash + 1));
    if (step < 1 || step > most) {
      throw refused(item, "a step is from 1 to " + most);
    }
    if (range.equals("*")) {
      return every(least, this == WEEKDAY ? 6 : most, step);
    }
    int dash = range.indexOf('-');
    if (dash < 0 && slash >= 0) {
      throw refused(item, "a step needs a range before it, or an asterisk");
    }
    int first = value(dash < 0 ? range : range.substring(0, dash));
    int last = dash < 0 ? first : value(range.substring(dash + 1));
    if (last < first) {
      throw refused(item, "a range goes upwards" + (this == WEEKDAY ? "; Sunday is 0 and 7" : ""));
    }
    return every(first, last, step);
  }

  private static long every(int first, int last, int step) {
    long set = 0;
    for (int value = first; value <= last; value += step) {
      set |= 1L << value;
    }
    return set;
  }

  private int value(String text) {
    int name = text.isEmpty() ? -1 : List.of(names.split(" ")).indexOf(text);
    int value = name < 0 ? number(text) : name + least;
    if (value < least || value > most) {
      throw refused(text, "it takes %d to %d".formatted(least, most));
    }
    return value;
  }

  private int number(String text) {
    if (text.isEmpty()
        || text.length() > 2
        || !text.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
      throw refused(text, "it is no number" + (names.isEmpty() ? "" : " and no name"));
    }
    return Integer.parseInt(text);
  }

  private InvalidScheduleException refused(String text, String why) {
    return new InvalidScheduleException("the %s '%s': %s".formatted(label, text, why));
  }
}
