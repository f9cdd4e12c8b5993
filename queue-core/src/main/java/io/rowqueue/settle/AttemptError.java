package io.rowqueue.settle;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What a failed attempt leaves to read, cut to bounded lengths.
 *
 * @param type the exception's class
 * @param message its message; empty if it has none
 * @param trace the stack trace, trimmed
 */
public record AttemptError(String type, String message, String trace) {

  private static final int TYPE_LENGTH = 255;
  private static final int MESSAGE_LENGTH = 4_000;
  private static final int TRACE_LENGTH = 16_000;

  /** The error that {@code failure} leaves. */
  public static AttemptError of(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace, true));
    String message = failure.getMessage();
    return new AttemptError(
        cut(failure.getClass().getName(), TYPE_LENGTH),
        cut(message == null ? "" : message, MESSAGE_LENGTH),
        cut(trace.toString(), TRACE_LENGTH));
  }

  /** One line for people. */
  public String summary() {
    return message.isEmpty() ? type : type + ": " + message;
  }

  private static String cut(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
  }
}
