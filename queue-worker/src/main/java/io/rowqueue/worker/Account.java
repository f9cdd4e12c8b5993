package io.rowqueue.worker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The account to which privileges are granted.
 *
 * @param name the user's or role's name
 * @param host the host part, such as {@code 10.%}; null for a role, or to let the server choose
 */
public record Account(String name, @Nullable String host) {

  private static final Pattern QUOTED = Pattern.compile("'(.+?)'(?:@'(.+?)')?");

  /** The servers' limits, in characters. */
  private static final int LONGEST_NAME = 128;

  private static final int LONGEST_HOST = 255;

  /** Rejects names that cannot be quoted safely under every {@code sql_mode}. */
  public Account {
    check("name", name, LONGEST_NAME);
    if (host != null) {
      check("host", host, LONGEST_HOST);
    }
  }

  /**
   * Parses {@code app@10.%}, with or without quotes around its parts, or a bare name. The last at
   * sign separates user and host.
   *
   * @throws IllegalArgumentException if the text is not an account; the message gives the reason
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

  /** Returns the account as an SQL literal. */
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
