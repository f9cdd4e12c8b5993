package io.rowqueue.internal.text;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One line of log text for a failure. */
public final class FailureText {

  private static final int DEEPEST = 100;
  private static final int LONGEST = 4_000;

  /** An application's log may print them to a terminal. */
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

  private FailureText() {}

  /**
   * The first line of the root cause's message. The outer exceptions repeat it after the text of
   * the whole statement. Exceptions of the application may have a huge message, or throw when asked
   * for it.
   */
  public static String of(Throwable failure) {
    try {
      String line = CONTROL.matcher(firstLine(failure)).replaceAll(" ");
      return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    } catch (Throwable e) {
      return failure.getClass().getName();
    }
  }

  private static String firstLine(Throwable failure) {
    Throwable bottom = failure;
    Throwable cause = failure.getCause();
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      bottom = hasWords(cause.getMessage()) ? cause : bottom;
      cause = cause.getCause();
    }
    String words = bottom.getMessage();
    return words != null && hasWords(words)
        ? words.strip().lines().findFirst().orElse("").strip()
        : bottom.getClass().getName();
  }

  private static boolean hasWords(@Nullable String message) {
    return message != null && !message.isBlank();
  }
}
