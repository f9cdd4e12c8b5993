package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.claim.QueueCounts.Count;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Formats numbers, times and untrusted text for people. */
final class Texts {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter INPUT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** The packages of an exception's class at the beginning of an error. */
  private static final Pattern PACKAGES = Pattern.compile("^(?:[\\w$]+\\.)+(?=[\\w$]+(?:: |$))");

  /** An action of the audit log: its target and its verb. */
  private static final Pattern ACTION = Pattern.compile("([a-z-]+)\\.([a-z-]+)");

  private Texts() {}

  /** Formats a value such as {@code in-flight} for people. */
  static String words(String value) {
    return value.replace('-', ' ');
  }

  /**
   * Formats an action of the audit log for people: {@code dead-letter.redrive-all} is "redrive all
   * dead letters". Commands are words already.
   */
  static String action(String name) {
    Matcher parts = ACTION.matcher(name);
    if (!parts.matches()) {
      return name;
    }
    String words = words(parts.group(2) + " " + parts.group(1));
    return name.endsWith("-all") ? words + "s" : words;
  }

  /** The value of an input of type {@code datetime-local}; empty for null. */
  static String input(@Nullable Instant time) {
    return time == null ? "" : INPUT.format(time);
  }

  /** The value of a hidden input: with the fraction of its second. */
  static String exact(Instant time) {
    return LocalDateTime.ofInstant(time, ZoneOffset.UTC).toString();
  }

  /** Returns the first line of an error, with the exception's simple name. */
  static String error(String detail, int most) {
    return firstLine(PACKAGES.matcher(detail.strip()).replaceFirst(""), most);
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns the number, with a plus if it is a lower bound. */
  static String count(Count count) {
    return number(count.number()) + (count.isAll() ? "" : "+");
  }

  /** Returns the number; an estimate is marked, and rounded to two digits. */
  static String estimate(Count count) {
    if (count.isAll()) {
      return number(count.number());
    }
    long unit = 1;
    while (count.number() / unit >= 100) {
      unit *= 10;
    }
    return "≈" + number(Math.round((double) count.number() / unit) * unit);
  }

  /** Such as {@code 12} or {@code 0.4}; a dash if unknown. */
  static String rate(double perSecond) {
    if (Double.isNaN(perSecond)) {
      return "–";
    }
    if (perSecond > 0 && perSecond < 0.05) {
      return "<0.1";
    }
    return perSecond < 10 && perSecond != Math.rint(perSecond)
        ? String.format(Locale.ROOT, "%.1f", perSecond)
        : number(Math.round(perSecond));
  }

  static String bytes(long bytes) {
    if (bytes < 1_024) {
      return bytes + " B";
    }
    return bytes < 1_048_576
        ? String.format(Locale.ROOT, "%.1f KiB", bytes / 1_024.0)
        : String.format(Locale.ROOT, "%.1f MiB", bytes / 1_048_576.0);
  }

  /** Such as {@code 3 min 20 s}: the two largest units. */
  static String age(long seconds) {
    if (seconds < 60) {
      return Math.max(0, seconds) + " s";
    }
    if (seconds < 3_600) {
      return seconds / 60 + " min " + seconds % 60 + " s";
    }
    if (seconds < 86_400) {
      return seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
    }
    return seconds / 86_400 + " d " + seconds % 86_400 / 3_600 + " h";
  }

  static String age(@Nullable Duration age) {
    return age == null ? "–" : age(age.toSeconds());
  }

  /** Such as {@code 4.2 ms} or {@code 1.5 s}; from a minute on as {@link #age}. */
  static String duration(@Nullable Duration duration) {
    if (duration == null) {
      return "–";
    }
    if (duration.toSeconds() >= 60) {
      return age(duration);
    }
    double millis = duration.toNanos() / 1e6;
    if (millis < 10) {
      return String.format(Locale.ROOT, "%.1f ms", millis);
    }
    return millis < 1_000
        ? Math.round(millis) + " ms"
        : String.format(Locale.ROOT, "%.1f s", millis / 1_000);
  }

  static String age(Instant since, Instant now) {
    return age(Duration.between(since, now).toSeconds());
  }

  static String time(Instant instant) {
    return TIME.format(instant);
  }

  /**
   * A time, which the script shows as the reader's local time.
   *
   * @param iso as an attribute of {@code <time>}
   * @param utc to the second
   * @param zoned the time in another zone, with its name; null for none
   * @param relative its distance from now, shown instead; null to show the time itself
   */
  record Moment(String iso, String utc, @Nullable String zoned, @Nullable String relative) {

    static Moment of(Instant at) {
      return new Moment(at.toString(), time(at), null, null);
    }

    static Moment of(Instant at, Instant now) {
      return new Moment(at.toString(), time(at), null, due(at, now));
    }

    static Moment of(Instant at, @Nullable ZoneId zone) {
      String zoned = zone == null ? null : TIME.withZone(zone).format(at) + " " + zone;
      return new Moment(at.toString(), time(at), zoned, null);
    }

    static @Nullable Moment orNull(@Nullable Instant at) {
      return at == null ? null : of(at);
    }
  }

  /** Formats a due time relative to {@code now}. */
  static String due(Instant due, Instant now) {
    return due.isAfter(now) ? "in " + age(now, due) : age(due, now) + " ago";
  }

  /** Returns its first line, limited to {@code most} characters. */
  static String firstLine(String text, int most) {
    String line = text.strip();
    int end = line.indexOf('\n');
    boolean cut = end >= 0;
    line = cut ? line.substring(0, end).stripTrailing() : line;
    if (line.length() > most) {
      line = line.substring(0, Character.isHighSurrogate(line.charAt(most - 1)) ? most - 1 : most);
      cut = true;
    }
    return visible(cut ? line + " …" : line);
  }

  /**
   * Replaces invisible characters and bidirectional controls with their code points. The templates
   * escape HTML.
   */
  static String visible(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || c == '\t' || !isHidden(c)) {
        shown.append(c);
      } else if (c != '\r') {
        shown.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    return shown.toString();
  }

  private static boolean isHidden(char c) {
    return Character.isISOControl(c)
        || (c >= '\u200b' && c <= '\u200f')
        || (c >= '\u202a' && c <= '\u202e')
        || (c >= '\u2060' && c <= '\u206f')
        || c == '\ufeff';
  }
}
