package io.rowqueue.internal.message;

import io.rowqueue.InvalidMessageException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Validates text before it is stored. */
public final class StoredText {

  private StoredText() {}

  /**
   * Checks {@code text} and returns it.
   *
   * @param what describes it in an error: "the name of a batch"
   * @param longest the maximum length in code points
   * @throws InvalidMessageException if it is empty, too long, or not valid Unicode
   */
  public static String checked(String what, String text, int longest) {
    int length = text.codePointCount(0, text.length());
    if (length < 1 || length > longest) {
      throw new InvalidMessageException(
          "%s must have 1 to %d characters, not %d".formatted(what, longest, length));
    }
    checkUnicode(what, text);
    return text;
  }

  /**
   * Refuses half of a surrogate pair, which has no UTF-8 form and would be stored as a question
   * mark.
   *
   * @throws InvalidMessageException if {@code text} contains one
   */
  static void checkUnicode(String what, String text) {
    try {
      var unused = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw new InvalidMessageException(
          "%s is not valid Unicode: it contains half of a surrogate pair; do not truncate text within a character"
              .formatted(what),
          e);
    }
  }
}
