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
 * A payload as shown on a page. Compressed payloads are decompressed if this worker can; encrypted
 * payloads are not decrypted, since the encryption may protect them from operators.
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
   * The part that is shown.
   *
   * @param kind the detected format
   * @param text the shown text
   * @param part whether it is only a part of the payload
   * @param note where it is stored, its transforms, and how much is missing; may be empty
   */
  record Shown(String kind, String text, boolean part, String note) {

    /** Nothing of it. */
    Shown(String kind, String note) {
      this(kind, "", false, note);
    }
  }

  Shown of(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Map<String, String> headers = headers(found);
    String place = headers.getOrDefault(Headers.BODY, "");
    try {
      return switch (place) {
        case BodyLocations.ROWS -> external(page.chunks(id));
        case BodyLocations.STORED -> stored(page.stored(id));
        default -> inRow(found, headers);
      };
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return new Shown(
          "not readable",
          "It is stored separately, and the dashboard's account cannot read it: it lacks SELECT on"
              + " queue_payload_chunk and queue_payload_ref.");
    }
  }

  private static Shown external(JooqMessagePage.@Nullable Chunks chunks) {
    return chunks == null
        ? new Shown("missing", "It should be stored in queue_payload_chunk, and is missing there.")
        : beginning(
            chunks.beginning(),
            "Stored in %s chunks of queue_payload_chunk; only the beginning is shown."
                .formatted(Texts.number(chunks.count())));
  }

  private static Shown stored(@Nullable String where) {
    return new Shown(
        "outside the database",
        where == null
            ? "It should be in an external store, but queue_payload_ref has no row for it."
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
            : "The first %s of %s are shown."
                .formatted(Texts.bytes(JooqMessagePage.SHOWN), Texts.bytes(found.size()));
    return whole ? shown(found.beginning(), true, note) : beginning(found.beginning(), note);
  }

  private Shown wrapped(
      JooqMessagePage.Found found, Map<String, String> headers, List<String> names) {
    String by = "Transformed by " + Texts.firstLine(String.join(", ", names), 80);
    boolean whole = found.size() <= JooqMessagePage.SHOWN;
    if (!COMPRESSIONS.containsAll(names)) {
      return new Shown("encrypted", by + "; the dashboard does not decode it.");
    }
    if (!whole || !unwrapping.names().containsAll(names)) {
      return shown(
          found.beginning(), whole, by + (whole ? ", which this worker cannot decode." : "."));
    }
    try {
      Topic topic = new Topic(found.topic());
      byte[] payload = unwrapping.unwrap(topic, found.beginning(), headers, List.of());
      boolean all = payload.length <= JooqMessagePage.SHOWN;
      return shown(
          all ? payload : Arrays.copyOf(payload, JooqMessagePage.SHOWN),
          all,
          by + ", decoded to " + Texts.bytes(payload.length) + ".");
    } catch (QueueException e) {
      return shown(found.beginning(), true, by + ", and cannot be decoded: " + e.getMessage());
    }
  }

  private static Shown beginning(byte[] bytes, String note) {
    return shown(bytes, false, note);
  }

  private static Shown shown(byte[] bytes, boolean whole, String note) {
    PayloadText text = PayloadText.of(bytes, whole);
    return new Shown(text.kind(), text.text(), !text.whole(), Texts.visible(note));
  }

  static boolean isInRow(JooqMessagePage.Found found) {
    return !headers(found).containsKey(Headers.BODY);
  }

  /** Rows written by plain SQL can contain anything. */
  static Map<String, String> headers(JooqMessagePage.Found found) {
    try {
      return Headers.parse(found.headers());
    } catch (PayloadException e) {
      return Map.of();
    }
  }
}
