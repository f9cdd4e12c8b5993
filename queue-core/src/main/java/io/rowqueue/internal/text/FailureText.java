package io.rowqueue.internal.text;

import org.jspecify.annotations.Nullable;

/** One line of log text for a failure. */
public final class FailureText {

  private static final int DEEPEST = 100;

  private FailureText() {}

  /**
   * The first line of the root cause's message. The outer exceptions repeat it after the text of
   * the whole statement.
   */
  public static String of(Throwable failure) {
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
