package io.rowqueue.worker.internal.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A response. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Reply(int status, String type, byte[] body, Map<String, String> headers) {

  private static final String HTML = "text/html; charset=utf-8";

  static Reply html(int status, String text) {
    return new Reply(status, HTML, text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  static Reply text(int status, String text) {
    return new Reply(
        status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  /** Redirects to another page, so that a reload does not repeat the change. */
  static Reply seeOther(String location) {
    return new Reply(303, HTML, new byte[0], Map.of("Location", location));
  }

  /**
   * A copy for a proxy that serves the dashboard below {@code base}: links, forms, redirects and
   * the cookie's path begin with it. Text of users cannot be taken for a link: its quotes are
   * escaped.
   */
  Reply under(String base) {
    if (base.isEmpty()) {
      return this;
    }
    Map<String, String> moved = new HashMap<>(headers);
    moved.computeIfPresent("Location", (name, value) -> base + value);
    moved.computeIfPresent(
        "Set-Cookie",
        (name, value) -> value.replace("Path=" + Dashboard.PATH, "Path=" + base + Dashboard.PATH));
    byte[] content =
        type.equals(HTML)
            ? new String(body, StandardCharsets.UTF_8)
                .replace("=\"" + Dashboard.PATH, "=\"" + base + Dashboard.PATH)
                .getBytes(StandardCharsets.UTF_8)
            : body;
    return new Reply(status, type, content, moved);
  }

  Reply with(String name, String value) {
    return new Reply(status, type, body, Map.of(name, value));
  }
}
