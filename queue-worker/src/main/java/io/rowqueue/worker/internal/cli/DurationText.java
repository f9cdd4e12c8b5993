package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 1h30m}, {@code PT5M}. */
final class DurationText implements ITypeConverter<Duration> {

  private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

  /** Well below what fits into a long of nanoseconds. */
  private static final Duration LONGEST = Duration.ofDays(36_525);

  private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

  @Override
  public Duration convert(String text) {
    try {
      Duration duration = parse(text.strip().toLowerCase(Locale.ROOT));
      if (duration.abs().compareTo(LONGEST) > 0) {
        throw new TypeConversionException("'%s' is more than 100 years".formatted(text));
      }
      return duration;
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new TypeConversionException(
          "'%s' is no duration; write 500ms, 30s, 5m, 1h, 2d, or ISO-8601 such as PT5M"
              .formatted(text));
    }
  }

  /** The shortest way to write {@code duration} that {@link #convert} reads, for help texts. */
  static String of(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds % 3_600 == 0 && seconds > 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 && seconds > 0 ? seconds / 60 + "m" : seconds + "s";
  }

  private static Duration parse(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    if (!WHOLE.matcher(text).matches()) {
      return Duration.parse(text);
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      long amount = Long.parseLong(part.group(1));
      sum = sum.plus(unit(part.group(2)).multipliedBy(amount));
    }
    return sum;
  }

  /** One of {@code ms}, {@code s}, {@code m}, {@code h} and {@code d}. */
  static Duration unit(String name) {
    return switch (name) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }
}
