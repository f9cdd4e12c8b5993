package io.rowqueue.worker.internal.dashboard;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The colours of the pages, which a cookie of the browser keeps. */
enum Theme {
  /** As the browser or the system prefers. */
  AUTO("light dark"),
  /** Dark text on a light ground. */
  LIGHT("light"),
  /** Light text on a dark ground. */
  DARK("dark");

  private static final String COOKIE = "rowqueue-theme";
  private static final Pattern OWN = Pattern.compile("(?:^|;\\s*)" + COOKIE + "=([a-z]+)(?:;|$)");
  private static final int YEAR_SECONDS = 31_536_000;

  private final String scheme;

  Theme(String scheme) {
    this.scheme = scheme;
  }

  /** Returns the theme of the cookie header; {@link #AUTO} if it has none. */
  static Theme of(@Nullable String cookies) {
    Matcher matcher = OWN.matcher(cookies == null ? "" : cookies);
    return matcher.find() ? named(matcher.group(1)) : AUTO;
  }

  /** Returns the theme of this name; {@link #AUTO} if there is none. */
  static Theme named(String name) {
    return Arrays.stream(values())
        .filter(theme -> theme.label().equals(name))
        .findFirst()
        .orElse(AUTO);
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the schemes for the browser. */
  String scheme() {
    return scheme;
  }

  /** Returns the cookie header that keeps it. */
  String cookie(String path) {
    return "%s=%s; Path=%s; Max-Age=%d; HttpOnly; SameSite=Lax"
        .formatted(COOKIE, label(), path, YEAR_SECONDS);
  }
}
