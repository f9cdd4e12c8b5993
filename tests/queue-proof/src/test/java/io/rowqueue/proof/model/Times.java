package io.rowqueue.proof.model;

import java.time.Duration;

/** The model's time: microseconds since a moment in the future of every real clock here. */
final class Times {

  static final String BEGIN = "2030-01-01 00:00:00";

  static final long BEGIN_SECONDS = 1_893_456_000L;

  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400 * SECOND;

  private Times() {}

  static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** How many days after the first one. */
  static long day(long micros) {
    return Math.floorDiv(micros, DAY);
  }

  /** For people: seconds since the beginning. */
  static String text(long micros) {
    return micros % SECOND == 0 ? micros / SECOND + "s" : micros + "us";
  }

  /** A column as microseconds since the beginning. */
  static String column(String name) {
    return "TIMESTAMPDIFF(MICROSECOND, '" + BEGIN + "', " + name + ")";
  }
}
