package io.rowqueue.worker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whom privileges are granted to.
 *
 * @param name the user's name, or a role's
 * @param host from where it connects, such as {@code 10.%}; null for a role, or to leave it to the
 *     server
 */
public record Account(String name, @Nullable String host) {

  private static final Pattern QUOTED = Pattern.compile("'(.+?)'(?:@'(.+?)')?");

  /** What the servers take, in characters. */
  private static final int LONGEST_NAME = 128;

  private static final int LONGEST_HOST = 255;

  /** Refuses what could not be quoted safely under every setting of the server. */
  public Account {
    check("name", name, LONGEST_NAME);
    if (host != null) {
      check("host", host, LONGEST_HOST);
    }
  }

  /**
   * The account that {@code text} names: {@code app@10.%}, the same with its parts in quotes, or a
   * bare name. The last at sign divides.
   *
   * @throws IllegalArgumentException if it can be no account; the message says why
   */
  public static Account of(String text) {
    Matcher quoted = QUOTED.matcher(text);
    if (quoted.matches()) {
      return new Account(quoted.group(1), quoted.group(2));
    }
    int at = text.lastIndexOf('@');
    return at < 0
        ? new Account(text, null)
        : new Account(text.substring(0, at), text.substring(at + 1));
  }

  /** As SQL has it. */
  String sql() {
    return host == null ? quoted(name) : quoted(name) + "@" + quoted(host);
  }

  private static String quoted(String part) {
    return "'" + part.replace("'", "''") + "'";
  }

  private static void check(String what, String part, int longest) {
    if (part.isEmpty() || part.length() > longest) {
      throw new IllegalArgumentException(
          "an account's %s has 1 to %d characters, as in app@10.%%".formatted(what, longest));
    }
    // Whether a backslash escapes depends on the server's sql_mode.
    if (part.chars().anyMatch(each -> each == '\\' || Character.isISOControl(each))) {
      throw new IllegalArgumentException(
          "an account's %s must not have a backslash or a control character".formatted(what));
    }
  }
}
