package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.PayloadException;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wrap.Unwrapping;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A payload as far as it is shown. What is compressed is unfolded if this worker may; what is
 * sealed is not opened: whoever sealed it did not mean the operators.
 */
@Singleton
class Body {

  private static final Set<String> COMPRESSIONS = Set.of("zstd", "deflate");

  private final Unwrapping unwrapping;

  @Inject
  Body(Unwrapping unwrapping) {
    this.unwrapping = unwrapping;
  }

  /**
   * What is shown.
   *
   * @param kind what it was taken for
   * @param text what of it is shown
   * @param note where it lies, how it is wrapped, and what of it is missing; may be empty
   */
  record Shown(String kind, String text, String note) {}

  Shown of(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Map<String, String> headers = headers(found);
    String place = headers.getOrDefault(Headers.BODY, "");
    try {
      return switch (place) {
        case BodyLocations.ROWS -> beside(page.chunks(id));
        case BodyLocations.STORED -> stored(page.stored(id));
        default -> inRow(found, headers);
      };
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return new Shown(
          "not readable",
          "",
          "It lies beside the row, where the dashboard's account may not read: it lacks SELECT on"
              + " queue_payload_chunk and queue_payload_ref.");
    }
  }

  private static Shown beside(JooqMessagePage.@Nullable Chunks chunks) {
    return chunks == null
        ? new Shown(
            "missing", "", "It should lie beside the row, in queue_payload_chunk, and does not.")
        : beginning(
            chunks.beginning(),
            "It lies beside the row, in %s chunks of queue_payload_chunk. This is its beginning."
                .formatted(Texts.number(chunks.count())));
  }

  private static Shown stored(@Nullable String where) {
    return new Shown(
        "outside the database",
        "",
        where == null
            ? "It should lie in a store, and no row says where."
            : Texts.visible(where) + ".");
  }

  private Shown inRow(JooqMessagePage.Found found, Map<String, String> headers) {
    boolean whole = found.size() <= JooqMessagePage.SHOWN;
    String mark = headers.get(Headers.WRAPPED);
    if (mark != null) {
      return wrapped(found, headers, List.of(mark.split(",", -1)));
    }
    String note =
        whole
            ? ""
            : "These are the first %s of %s."
                .formatted(Texts.bytes(JooqMessagePage.SHOWN), Texts.bytes(found.size()));
    return whole ? shown(found.beginning(), true, note) : beginning(found.beginning(), note);
  }

  private Shown wrapped(
      JooqMessagePage.Found found, Map<String, String> headers, List<String> names) {
    String by = "It is wrapped by " + Texts.firstGroup(String.join(", ", names), 80);
    boolean whole = found.size() <= JooqMessagePage.SHOWN;
    if (!COMPRESSIONS.containsAll(names)) {
      return new Shown("sealed", "", by + ", and not opened here.");
    }
    if (!whole || !unwrapping.names().containsAll(names)) {
      return shown(
          found.beginning(), whole, by + (whole ? ", which this worker cannot undo." : "."));
    }
    try {
      Topic topic = new Topic(found.topic());
      byte[] payload = unwrapping.unwrap(topic, found.beginning(), headers, List.of());
      boolean all = payload.length <= JooqMessagePage.SHOWN;
      return shown(
          all ? payload : Arrays.copyOf(payload, JooqMessagePage.SHOWN),
          all,
          by + ", unfolded here: " + Texts.bytes(payload.length) + ".");
    } catch (QueueException e) {
      return shown(found.beginning(), true, by + ", and does not unfold: " + e.getMessage());
    }
  }

  private static Shown beginning(byte[] bytes, String note) {
    return shown(bytes, false, note);
  }

  private static Shown shown(byte[] bytes, boolean whole, String note) {
    PayloadText text = PayloadText.of(bytes, whole);
    return new Shown(text.kind(), text.text(), Texts.visible(note));
  }

  /** Whoever enqueues by SQL can write anything. */
  private static Map<String, String> headers(JooqMessagePage.Found found) {
    try {
      return Headers.parse(found.headers());
    } catch (PayloadException e) {
      return Map.of();
    }
  }
}
