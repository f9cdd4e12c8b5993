package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Rows and values as people read them on a terminal. */
final class TextTable {

  private static final int SHOWN_OF_A_LINE = 60;

  private TextTable() {}

  /** Columns for which {@code right} holds, such as numbers, stand at the right. */
  static String aligned(List<List<String>> rows, IntPredicate right) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String blanks = " ".repeat(widths[i] - row.get(i).length());
        line.append(right.test(i) ? blanks + row.get(i) : row.get(i) + blanks).append("  ");
      }
      text.append(text.isEmpty() ? "" : "\n").append(line.toString().stripTrailing());
    }
    return text.toString();
  }

  static String aligned(List<List<String>> rows) {
    return aligned(rows, column -> false);
  }

  static String age(@Nullable Duration age) {
    if (age == null) {
      return "-";
    }
    if (age.toDays() > 0) {
      return age.toDays() + "d " + age.toHoursPart() + "h";
    }
    if (age.toHours() > 0) {
      return age.toHours() + "h " + age.toMinutesPart() + "m";
    }
    return age.toMinutes() > 0
        ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
        : "%d.%ds".formatted(age.toSeconds(), age.toMillisPart() / 100);
  }

  /** To the second, in UTC; programs get the rest. */
  static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String shortened(String text) {
    String line = printable(text.strip().lines().findFirst().orElse(""));
    return line.length() <= SHOWN_OF_A_LINE
        ? line
        : line.substring(0, SHOWN_OF_A_LINE - 1).stripTrailing() + "…";
  }

  /**
   * What a message or an error says must not steer the terminal, nor turn what stands behind it.
   */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints()
        .forEach(
            point ->
                printable.appendCodePoint(
                    (Character.isISOControl(point) && point != '\n' && point != '\t')
                            || turnsDirection(point)
                        ? '\uFFFD'
                        : point));
    return printable.toString();
  }

  /** Embeddings, overrides and isolates of bidirectional text. */
  private static boolean turnsDirection(int point) {
    return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
  }

  /** All lines of it, two spaces in. */
  static String indented(String text) {
    return printable(text.strip()).indent(2).stripTrailing();
  }

  static String plural(long count, String one) {
    return count + " " + one + (count == 1 ? "" : "s");
  }
}
