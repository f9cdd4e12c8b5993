package io.rowqueue.internal.message;

import io.rowqueue.InvalidMessageException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What may be stored as a text. */
public final class StoredText {

  private StoredText() {}

  /**
   * Returns {@code text}.
   *
   * @param what it is, for people: "the name of a batch"
   * @throws InvalidMessageException if it is empty, has more characters than {@code longest}, or is
   *     no Unicode
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
   * Half of a surrogate pair has no bytes in UTF-8, and would become a question mark.
   *
   * @throws InvalidMessageException if {@code text} has one
   */
  static void checkUnicode(String what, String text) {
    try {
      var unused = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw new InvalidMessageException(
          "%s is no Unicode text: it has half of a surrogate pair; a text that is cut must not be cut within a character"
              .formatted(what),
          e);
    }
  }
}
