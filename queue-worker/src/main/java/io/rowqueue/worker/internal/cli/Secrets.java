package io.rowqueue.worker.internal.cli;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The passwords of this run. No message is built with one; this is the second net, for what a
 * driver or a library says about them. Thread-safe.
 */
final class Secrets {

  /** Hiding every "a" of a message would tell more than it hides. */
  private static final int SHORTEST = 4;

  private static final Pattern URL_USER = Pattern.compile("//[^/@\\s]*@");
  private static final Pattern URL_PASSWORD =
      Pattern.compile("(?i)(password\\w*\\s*=\\s*)[^&,;)\\s]*");

  private static final List<Pattern> PASSWORD_PLACES =
      List.of(
          Pattern.compile("//[^:@]*:(.*)@"),
          Pattern.compile(":([^:@]*)@"),
          Pattern.compile("(?i)password\\w*\\s*=([^&]*)"),
          Pattern.compile("(?i)password\\w*\\s*=([^&,)]*)"));

  private final Set<String> values =
      new ConcurrentSkipListSet<>(
          (a, b) -> a.length() == b.length() ? a.compareTo(b) : b.length() - a.length());

  /** Remembers a password; null and what is too short to be hidden are left out. */
  void add(@Nullable String value) {
    if (value != null && value.length() >= SHORTEST) {
      values.add(value);
    }
  }

  /** Remembers a password and returns it. */
  String added(String value) {
    add(value);
    return value;
  }

  /**
   * Remembers whatever could be a password in a JDBC URL, as it stands and percent-decoded, however
   * the driver would divide it: its complaint about a URL quotes the part that it does not read.
   */
  void addUrl(@Nullable String url) {
    if (url == null) {
      return;
    }
    for (Pattern place : PASSWORD_PLACES) {
      place.matcher(url).results().forEach(found -> addDecoded(found.group(1)));
    }
  }

  /** Where the driver divides it at a slash, its complaint has a part only. Digits are a port. */
  private void addDecoded(String value) {
    add(value);
    for (String part : value.split("[/?#]", -1)) {
      if (!part.matches("\\d*")) {
        add(part);
      }
    }
    try {
      add(URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      // No percent-encoding; it was added as it stands.
      return;
    }
  }

  /** The text without passwords, and without users and passwords of JDBC URLs. */
  String hide(String text) {
    String hidden = text;
    for (String value : values) {
      hidden = hidden.replace(value, "***");
    }
    hidden = URL_USER.matcher(hidden).replaceAll("//***@");
    return URL_PASSWORD.matcher(hidden).replaceAll("$1***");
  }

  /** How many there are. */
  @Override
  public String toString() {
    return "Secrets[" + values.size() + "]";
  }
}
