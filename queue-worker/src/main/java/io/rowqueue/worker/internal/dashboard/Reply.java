package io.rowqueue.worker.internal.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A response. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Reply(int status, String type, byte[] body, Map<String, String> headers) {

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

  Reply with(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Reply(status, type, body, more);
  }
}
