package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Rate;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates as people write them: {@code 100/s}, {@code 30/m}, {@code 5/h}. */
final class RateText {

  private static final Pattern RATE = Pattern.compile("([1-9]\\d{0,8})/([smh])");

  private RateText() {}

  /** A rate as {@link #parse} reads it. */
  static String of(Rate rate) {
    String unit =
        rate.per().equals(Duration.ofSeconds(1))
            ? "s"
            : rate.per().equals(Duration.ofMinutes(1)) ? "m" : "h";
    return rate.messages() + "/" + unit;
  }

  static Rate parse(String text) {
    Matcher rate = RATE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!rate.matches()) {
      throw CommandFailure.usage(
          "--worker-rate-limit: '%s' is no rate; write 100/s, 30/m or 5/h".formatted(text));
    }
    Duration per =
        switch (rate.group(2)) {
          case "s" -> Duration.ofSeconds(1);
          case "m" -> Duration.ofMinutes(1);
          default -> Duration.ofHours(1);
        };
    return new Rate(Integer.parseInt(rate.group(1)), per);
  }
}
