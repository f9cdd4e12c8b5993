package io.rowqueue.internal.text;

import org.jspecify.annotations.Nullable;

/** What one line of a log says of a failure. */
public final class FailureText {

  private static final int DEEPEST = 100;

  private FailureText() {}

  /**
   * The first line of what lies at the bottom of {@code failure}. What lies above it repeats it,
   * behind the text of a whole statement.
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
