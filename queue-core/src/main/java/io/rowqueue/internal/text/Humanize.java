package io.rowqueue.internal.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Durations and counts for logs and messages; programs get exact values instead. */
public final class Humanize {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  private Humanize() {}

  /**
   * Such as {@code 500 ms}, {@code 2.1 s}, {@code 5 min}, {@code 1 h 30 min} or {@code 2 d 3 h}:
   * the two largest units from a minute on, and at most three decimals below.
   */
  public static String duration(Duration length) {
    if (length.isNegative()) {
      return "-" + duration(length.negated());
    }
    if (length.isZero() || length.compareTo(MINUTE) < 0) {
      return belowAMinute(length);
    }
    if (length.compareTo(HOUR) < 0) {
      return of(length.toMinutes(), "min", length.toSecondsPart(), "s");
    }
    return length.compareTo(DAY) < 0
        ? of(length.toHours(), "h", length.toMinutesPart(), "min")
        : of(length.toDays(), "d", length.toHoursPart(), "h");
  }

  private static String belowAMinute(Duration length) {
    if (length.isZero()) {
      return "0 s";
    }
    return length.compareTo(SECOND) < 0
        ? decimals(length.toNanos(), 6) + " ms"
        : decimals(length.toNanos(), 9) + " s";
  }

  private static String decimals(long nanos, int scale) {
    return BigDecimal.valueOf(nanos, scale)
        .setScale(3, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }

  private static String of(long larger, String largerUnit, long smaller, String smallerUnit) {
    String text = larger + " " + largerUnit;
    return smaller == 0 ? text : text + " " + smaller + " " + smallerUnit;
  }

  /** Such as {@code 1 message} or {@code 2 messages}. */
  public static String count(long count, String one) {
    return count(count, one, one + "s");
  }

  /** With an irregular plural, or a verb. */
  public static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }
}
