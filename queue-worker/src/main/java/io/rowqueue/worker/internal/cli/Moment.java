package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * A time in the past as people write it: {@code 2h} for two hours back, by the database's clock, or
 * an instant.
 *
 * @param text as it was written
 * @param of the instant, for the database's time
 */
record Moment(String text, UnaryOperator<Instant> of) {

  private static final Pattern DATE = Pattern.compile("[+-]?\\d{4,}-.*");

  /** Reads an instant; people write a time zone, or else it would be anybody's guess. */
  static Instant instant(String text) {
    try {
      return Instant.parse(text.strip());
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "'%s' is no instant; write it with its zone, such as 2026-01-31T08:00:00Z or 2026-01-31T08:00:00+01:00"
              .formatted(text));
    }
  }

  /** Reads a time back, or an instant. */
  static Moment parse(String text) {
    if (DATE.matcher(text.strip()).matches()) {
      Instant instant = instant(text);
      return new Moment(text, now -> instant);
    }
    Duration back = back(text);
    return new Moment(text, now -> now.minus(back));
  }

  private static Duration back(String text) {
    Duration back;
    try {
      back = new DurationText().convert(text);
    } catch (TypeConversionException e) {
      throw new TypeConversionException(
          "'%s' is neither a time back, such as 2h or 3d, nor an instant, such as 2026-01-31T08:00:00Z"
              .formatted(text));
    }
    if (back.isNegative()) {
      throw new TypeConversionException("'%s' lies in the future".formatted(text));
    }
    return back;
  }
}
