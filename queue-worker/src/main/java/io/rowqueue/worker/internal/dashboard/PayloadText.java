package io.rowqueue.worker.internal.dashboard;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A payload, or its beginning, for people: JSON indented, other UTF-8 unchanged, and bytes as hex.
 * Only changes whitespace: JSON values are kept as written, including long numbers and duplicate
 * names.
 *
 * @param kind the detected format
 * @param text the formatted text
 * @param whole whether the text has the complete payload
 */
record PayloadText(String kind, String text, boolean whole) {

  /**
   * Deeper levels are not indented further, since nested brackets would fill the page with spaces.
   */
  private static final int DEEPEST = 24;

  private static final int LONGEST = 262_144;

  private static final int HEX_BYTES = 4_096;

  private static final String JSON_KIND = "JSON";
  private static final String TEXT_KIND = "text";

  private static final JsonFactory JSON = new JsonFactory();

  /**
   * Formats {@code bytes}.
   *
   * @param whole whether they are the complete payload
   */
  static PayloadText of(byte[] bytes, boolean whole) {
    return of(bytes, whole, false);
  }

  /** Formats {@code bytes}; {@code raw} does not indent JSON. */
  static PayloadText of(byte[] bytes, boolean whole, boolean raw) {
    if (bytes.length == 0) {
      return new PayloadText("empty", "", true);
    }
    String text = utf8(bytes, whole);
    if (text == null) {
      return new PayloadText("binary, as hex", hex(bytes), whole && bytes.length <= HEX_BYTES);
    }
    boolean json = whole ? isJson(text) : text.startsWith("{") || text.startsWith("[");
    if (!json) {
      return new PayloadText(TEXT_KIND, Texts.visible(text), whole);
    }
    String shown = raw ? text : indented(text);
    return new PayloadText(
        whole ? JSON_KIND : JSON_KIND + ", truncated",
        Texts.visible(shown),
        whole && shown.length() < LONGEST);
  }

  /** Returns whether it is JSON, or its beginning. */
  boolean isJson() {
    return kind.startsWith(JSON_KIND);
  }

  /** Returns the ending of the name of a file that has it. */
  String ending() {
    if (isJson()) {
      return "json";
    }
    return kind.equals(TEXT_KIND) ? "txt" : "bin";
  }

  /** Returns null if it is not UTF-8; a truncated text may end within a character. */
  static @Nullable String utf8(byte[] bytes, boolean whole) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer chars = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), chars, whole);
    if (result.isError()) {
      return null;
    }
    String text = chars.flip().toString();
    // Zero bytes are valid UTF-8, but not text.
    long controls =
        text.chars().filter(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t').count();
    return controls * 10 > text.length() ? null : text;
  }

  static boolean isJson(String text) {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  /** Indents it, up to about {@link #LONGEST} characters. */
  static String indented(String json) {
    StringBuilder out = new StringBuilder(json.length() * 2);
    int depth = 0;
    int i = 0;
    while (i < json.length() && out.length() < LONGEST) {
      char c = json.charAt(i);
      if (c == '"') {
        int end = endOfString(json, i);
        out.append(json, i, end);
        i = end;
        continue;
      }
      if (c == '{' || c == '[') {
        int close = nextVisible(json, i + 1);
        if (close < json.length() && isClosing(json.charAt(close))) {
          out.append(c).append(json.charAt(close));
          i = close + 1;
          continue;
        }
        depth++;
        line(out.append(c), depth);
      } else if (isClosing(c)) {
        depth = Math.max(0, depth - 1);
        line(out, depth).append(c);
      } else if (c == ',') {
        line(out.append(c), depth);
      } else if (c == ':') {
        out.append(": ");
      } else if (!Character.isWhitespace(c)) {
        out.append(c);
      }
      i++;
    }
    return out.toString();
  }

  private static StringBuilder line(StringBuilder out, int depth) {
    return out.append('\n').append("  ".repeat(Math.min(depth, DEEPEST)));
  }

  private static boolean isClosing(char c) {
    return c == '}' || c == ']';
  }

  private static int nextVisible(String json, int from) {
    int i = from;
    while (i < json.length() && Character.isWhitespace(json.charAt(i))) {
      i++;
    }
    return i;
  }

  private static int endOfString(String json, int quote) {
    int i = quote + 1;
    while (i < json.length() && json.charAt(i) != '"') {
      i += json.charAt(i) == '\\' ? 2 : 1;
    }
    return Math.min(json.length(), i + 1);
  }

  private static String hex(byte[] bytes) {
    StringBuilder out = new StringBuilder();
    for (int row = 0; row < Math.min(bytes.length, HEX_BYTES); row += 16) {
      StringBuilder codes = new StringBuilder();
      StringBuilder letters = new StringBuilder();
      for (int i = row; i < Math.min(bytes.length, row + 16); i++) {
        codes.append(String.format(Locale.ROOT, "%02x ", bytes[i]));
        letters.append(bytes[i] >= ' ' && bytes[i] <= '~' ? (char) bytes[i] : '.');
      }
      out.append(String.format(Locale.ROOT, "%08x  %-48s %s%n", row, codes, letters));
    }
    if (bytes.length > HEX_BYTES) {
      out.append("…");
    }
    return out.toString();
  }
}
