package io.rowqueue.worker.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Reads durations and sizes as operators write them. */
final class Texts {

  private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d+)([kmg]?)");

  private Texts() {}

  /**
   * {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 2d}, or ISO-8601 ({@code PT30S}).
   */
  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      try {
        return Duration.parse(text);
      } catch (DateTimeParseException e) {
        throw new CommandLine.TypeConversionException(
            "'" + text + "' is no duration; write 500ms, 30s, 5m, 1h or PT30S");
      }
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  /** Bytes as {@code 16384}, {@code 16k}, {@code 4m} or {@code 1g}. */
  static final class Size implements CommandLine.ITypeConverter<Long> {

    @Override
    public Long convert(String text) {
      Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
      if (!matcher.matches()) {
        throw new CommandLine.TypeConversionException(
            "'" + text + "' is no size; write 16384, 16k, 4m or 1g");
      }
      int shift =
          switch (matcher.group(2)) {
            case "k" -> 10;
            case "m" -> 20;
            case "g" -> 30;
            default -> 0;
          };
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    }
  }
}
