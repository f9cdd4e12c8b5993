package io.rowqueue.worker.internal.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A stack trace for people: frames of the platform and of libraries are shown on request. */
final class TraceText {

  private static final Pattern FRAMEWORK =
      Pattern.compile(
          "\\s*at (?:[\\w.@-]*/)*(?:java|javax|jakarta|jdk|sun|com\\.sun|kotlin|scala"
              + "|com\\.google\\.inject|com\\.google\\.common|com\\.fasterxml\\.jackson"
              + "|com\\.zaxxer\\.hikari|com\\.mysql|org\\.mariadb|org\\.jooq|org\\.hibernate"
              + "|org\\.springframework|org\\.aopalliance|io\\.rowqueue\\.internal"
              + "|io\\.rowqueue\\.worker\\.internal\\.dispatch)\\..*");

  private TraceText() {}

  /**
   * Some lines.
   *
   * @param frames the number of frames, if they are folded; otherwise 0
   */
  record Part(String text, int frames) {}

  /** Divides a trace into parts; a single frame is not worth folding. */
  static List<Part> of(String trace) {
    List<Part> parts = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    List<String> folded = new ArrayList<>();
    for (String line : Texts.visible(trace).split("\n", -1)) {
      if (FRAMEWORK.matcher(line).matches()) {
        folded.add(line);
      } else {
        endOfFrames(parts, shown, folded);
        shown.add(line);
      }
    }
    endOfFrames(parts, shown, folded);
    add(parts, shown, 0);
    return parts;
  }

  private static void endOfFrames(List<Part> parts, List<String> shown, List<String> folded) {
    if (folded.size() < 2) {
      shown.addAll(folded);
    } else {
      add(parts, shown, 0);
      add(parts, folded, folded.size());
    }
    folded.clear();
  }

  private static void add(List<Part> parts, List<String> lines, int frames) {
    String text = String.join("\n", lines).stripTrailing();
    if (!text.isEmpty()) {
      parts.add(new Part(text, frames));
    }
    lines.clear();
  }
}
