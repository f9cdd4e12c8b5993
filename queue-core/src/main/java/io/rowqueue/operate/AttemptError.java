package io.rowqueue.operate;

import java.io.PrintWriter;
import java.io.Writer;

/**
 * The error of a failed attempt, truncated to bounded lengths.
 *
 * @param type the exception's class
 * @param message its message; empty if it has none
 * @param trace the stack trace, truncated
 */
public record AttemptError(String type, String message, String trace) {

  private static final int TYPE_LENGTH = 255;
  private static final int MESSAGE_LENGTH = 4_000;
  private static final int TRACE_LENGTH = 16_000;

  /**
   * The error for {@code failure}. Exceptions come from application code or libraries, so a message
   * may be huge, or its getter may throw.
   */
  public static AttemptError of(Throwable failure) {
    return new AttemptError(
        cut(failure.getClass().getName(), TYPE_LENGTH),
        cut(message(failure), MESSAGE_LENGTH),
        trace(failure));
  }

  private static String message(Throwable failure) {
    try {
      String message = failure.getMessage();
      return message == null ? "" : message;
    } catch (Throwable e) {
      return "(its message cannot be read: " + e.getClass().getName() + ")";
    }
  }

  private static String trace(Throwable failure) {
    FirstPart trace = new FirstPart(TRACE_LENGTH);
    try {
      failure.printStackTrace(new PrintWriter(trace));
    } catch (Throwable e) {
      trace.write("(the trace ends here: " + e.getClass().getName() + ")");
    }
    return trace.text();
  }

  /** One line for operators. */
  public String summary() {
    return message.isEmpty() ? type : type + ": " + message;
  }

  /** Does not split a surrogate pair. */
  private static String cut(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(longest - 2)) ? longest - 2 : longest - 1;
    return text.substring(0, end) + "…";
  }

  /** Keeps what fits, and one more character to detect truncation; discards the rest. */
  private static final class FirstPart extends Writer {

    private final StringBuilder kept = new StringBuilder();
    private final int longest;

    FirstPart(int longest) {
      this.longest = longest;
    }

    @Override
    public void write(char[] text, int offset, int length) {
      kept.append(text, offset, Math.min(length, capacity()));
    }

    @Override
    public void write(String text) {
      kept.append(text, 0, Math.min(text.length(), capacity()));
    }

    @Override
    public void write(String text, int offset, int length) {
      kept.append(text, offset, offset + Math.min(length, capacity()));
    }

    private int capacity() {
      return longest + 1 - kept.length();
    }

    String text() {
      return cut(kept.toString(), longest);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
