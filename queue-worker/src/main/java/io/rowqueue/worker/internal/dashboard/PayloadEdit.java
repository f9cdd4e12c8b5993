package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload in a form. Only short texts can be edited: everything else would not come back from a
 * browser as it was.
 *
 * @param text the payload, indented if it is JSON; null if it cannot be edited
 * @param refusal why it cannot be edited; empty if it can
 */
record PayloadEdit(@Nullable String text, String refusal) {

  /** In bytes: encoded as a form field, a byte becomes three at most. */
  static final int LONGEST = 16_384;

  static PayloadEdit of(JooqMessagePage.Found found) {
    Map<String, String> headers;
    try {
      headers = Headers.parse(found.headers());
    } catch (PayloadException e) {
      return refused("its headers are not valid, so its format is unknown");
    }
    if (headers.containsKey(Headers.WRAPPED)) {
      return refused("it is encrypted or compressed");
    }
    if (headers.containsKey(Headers.BODY)) {
      return refused("it is stored separately");
    }
    if (found.size() > LONGEST) {
      return refused("it is longer than " + Texts.bytes(LONGEST));
    }
    String text = PayloadText.utf8(found.beginning(), true);
    return text == null || text.chars().anyMatch(c -> c < ' ' && c != '\n' && c != '\t')
        ? refused("it is binary, or has control characters")
        : new PayloadEdit(indented(text), "");
  }

  /** JSON that would become too long is not indented. */
  private static String indented(String text) {
    String indented = PayloadText.isJson(text) ? PayloadText.indented(text) : text;
    return indented.getBytes(StandardCharsets.UTF_8).length > LONGEST ? text : indented;
  }

  private static PayloadEdit refused(String why) {
    return new PayloadEdit(null, "The payload cannot be edited here: " + why + ".");
  }

  /**
   * Returns the edited payload.
   *
   * @param edited as a browser submits it, with CR LF at the ends of lines
   * @throws Refusal if this payload cannot be edited, or not to that
   */
  byte[] changedTo(String edited) {
    String before = text;
    if (before == null) {
      throw new Refusal(409, "Nothing was redriven. " + refusal);
    }
    String after = edited.replace("\r\n", "\n");
    byte[] bytes = after.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST) {
      throw new Refusal(
          400,
          "Nothing was redriven: the payload has %s, over the limit of %s for an edited one."
              .formatted(Texts.bytes(bytes.length), Texts.bytes(LONGEST)));
    }
    if (PayloadText.isJson(before) && !PayloadText.isJson(after)) {
      throw new Refusal(
          400, "Nothing was redriven: the payload was JSON, and the edited one is not.");
    }
    return bytes;
  }
}
