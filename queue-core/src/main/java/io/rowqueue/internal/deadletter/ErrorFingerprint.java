package io.rowqueue.internal.deadletter;

import io.rowqueue.internal.message.TopicKeyId;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Groups dead letters with the same error: the exception's class and the first line of its message,
 * without what differs from message to message.
 */
public final class ErrorFingerprint {

  /** Longer texts seldom differ only beyond it, and the patterns stay fast. */
  private static final int LONGEST = 500;

  private static final Pattern CLASS = Pattern.compile("[\\w.$]+(: |$)");

  /** A status of HTTP or SMTP, at the beginning or after a word that announces it. */
  private static final String STATUS =
      "(?<=^|(?i:status|code|http|http/1.1|answered|returned)[ :=]{1,2})[45]\\d\\d(?![\\w-])";

  /**
   * Quoted values, email addresses, and words with a digit but for a status: numbers, ids, UUIDs,
   * host names.
   */
  private static final Pattern VARIABLE =
      Pattern.compile(
          "\"[^\"]*\"|(?<!\\w)'[^']*'(?!\\w)|`[^`]*`|“[^”]*”|[\\w.+-]+@[\\w.-]+"
              + "|(?<![\\w-])(?!"
              + STATUS
              + ")[\\w-]*\\d[\\w-]*");

  private ErrorFingerprint() {}

  /** The first line of {@code detail}, with a question mark for each value that varies. */
  public static String normalized(String detail) {
    String line = detail.strip().lines().findFirst().orElse("");
    String text = line.length() <= LONGEST ? line : line.substring(0, LONGEST);
    Matcher type = CLASS.matcher(text);
    int start = type.lookingAt() ? type.end() : 0;
    return text.substring(0, start) + VARIABLE.matcher(text.substring(start)).replaceAll("?");
  }

  /** Equal for equal {@link #normalized} texts, and practically never for others. */
  static long of(String detail) {
    return ByteBuffer.wrap(TopicKeyId.of("", normalized(detail)).bytes()).getLong();
  }
}
