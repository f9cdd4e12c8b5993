package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
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
   * @param kind the detected format; empty if the bytes are to be examined
   * @param bytes the beginning of the payload
   * @param whole whether they are the complete payload
   * @param note where it is stored, its transforms, and how much is missing; may be empty
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Shown(String kind, byte[] bytes, boolean whole, String note) {

    /** Nothing of it. */
    Shown(String kind, String note) {
      this(kind, new byte[0], true, note);
    }

    /** Returns the text; {@code raw} does not indent JSON. */
    PayloadText text(boolean raw) {
      return kind.isEmpty() ? PayloadText.of(bytes, whole, raw) : new PayloadText(kind, "", true);
    }
  }

  Shown of(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Map<String, String> headers = headers(found);
    String place = headers.getOrDefault(Headers.BODY, "");
    List<String> names = wrappers(headers);
    if (!place.equals(BodyLocations.STORED) && !COMPRESSIONS.containsAll(names)) {
      return new Shown("encrypted", by(names) + "; the dashboard does not decode it.");
    }
    try {
      return switch (place) {
        case BodyLocations.ROWS -> external(page.chunks(id));
        case BodyLocations.STORED -> stored(page.stored(id));
        default -> inRow(found, headers, names);
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

  /**
   * Returns the whole payload, decompressed if this worker can. Holds at most the worker's maximum
   * payload size.
   *
   * @throws Refusal if it is encrypted, outside the database, or larger
   */
  byte[] whole(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Map<String, String> headers = headers(found);
    String place = headers.getOrDefault(Headers.BODY, "");
    List<String> names = wrappers(headers);
    if (place.equals(BodyLocations.STORED) || !COMPRESSIONS.containsAll(names)) {
      throw new Refusal(409, "The payload is encrypted, or outside the database.");
    }
    int most = unwrapping.mostBytes();
    try {
      if (found.size() > most) {
        throw Unwrapping.tooLarge(most);
      }
      byte[] stored =
          place.equals(BodyLocations.ROWS) ? page.chunks(id, most) : page.payload(found, id);
      return decoded(stored, found, headers);
    } catch (InvalidMessageException e) {
      throw new Refusal(
          409,
          "The payload is larger than the worker's limit (--max-payload-size), %s."
              .formatted(Texts.bytes(most)));
    }
  }

  /** Returns the stored bytes if they cannot be decoded. */
  private byte[] decoded(byte[] stored, JooqMessagePage.Found found, Map<String, String> headers) {
    if (!unwrapping.names().containsAll(wrappers(headers))) {
      return stored;
    }
    try {
      return unwrapping.unwrap(new Topic(found.topic()), stored, headers, List.of());
    } catch (PayloadException e) {
      return stored;
    }
  }

  private static List<String> wrappers(Map<String, String> headers) {
    String mark = headers.get(Headers.WRAPPED);
    return mark == null ? List.of() : List.of(mark.split(",", -1));
  }

  private static String by(List<String> names) {
    return "Transformed by " + Texts.firstLine(String.join(", ", names), 80);
  }

  private static Shown external(JooqMessagePage.@Nullable Chunks chunks) {
    return chunks == null
        ? new Shown("missing", "It should be stored in queue_payload_chunk, and is missing there.")
        : shown(
            chunks.beginning(),
            false,
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

  private Shown inRow(
      JooqMessagePage.Found found, Map<String, String> headers, List<String> names) {
    boolean whole = found.size() <= JooqMessagePage.SHOWN;
    if (!names.isEmpty()) {
      return wrapped(found, headers, names);
    }
    String note =
        whole
            ? ""
            : "The first %s of %s are shown."
                .formatted(Texts.bytes(JooqMessagePage.SHOWN), Texts.bytes(found.size()));
    return shown(found.beginning(), whole, note);
  }

  private Shown wrapped(
      JooqMessagePage.Found found, Map<String, String> headers, List<String> names) {
    String by = by(names);
    boolean whole = found.size() <= JooqMessagePage.SHOWN;
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

  private static Shown shown(byte[] bytes, boolean whole, String note) {
    return new Shown("", bytes, whole, Texts.visible(note));
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
