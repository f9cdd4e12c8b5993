package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.MessageId;
import io.rowqueue.PayloadException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.operate.JooqFinding;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.Cause;
import io.rowqueue.operate.MessageDetails.Row;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.MessageProgress;
import io.rowqueue.spi.KeyId;
import io.rowqueue.worker.internal.cli.MessageTexts.BodyText;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One message, for people and programs. */
final class MessageTexts {

  /** In characters; the rest is for a file. */
  static final int SHOWN = 4_096;

  /** How long a search of messages takes. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final JsonMapper JSON = new JsonMapper();

  private static final List<Column<MessageProgress>> PROGRESS =
      List.of(
          Column.inJson("done", MessageProgress::done),
          Column.inJson("total", MessageProgress::total),
          Column.inJson("note", MessageProgress::note),
          Column.inJson("at", MessageProgress::at));

  private static final List<Column<JooqMessageSearch.Row>> ROW =
      List.of(
          Column.left("ID", "id", JooqMessageSearch.Row::id),
          Column.left("TOPIC", "topic", JooqMessageSearch.Row::topic),
          Column.left("STATE", "state", row -> JooqFinding.place(row.state()).label()),
          Column.right("PRIORITY", "priority", JooqMessageSearch.Row::priority),
          Column.inJson("claims", JooqMessageSearch.Row::claims),
          Column.right("FAILED", "attempts", JooqMessageSearch.Row::attempts),
          Column.right("LOST", "lost", JooqMessageSearch.Row::lost),
          Column.left("ENQUEUED", "createdAt", JooqMessageSearch.Row::createdAt),
          Column.left("DUE", "dueAt", row -> JooqFinding.due(row.dueAt(), row.createdAt())),
          Column.left("WORKER", null, row -> row.worker().isEmpty() ? null : row.worker()),
          Column.inJson("worker", JooqMessageSearch.Row::worker),
          Column.inTable("ORDERING KEY", row -> shortened(row.orderingKey())),
          Column.inJson("orderingKey", JooqMessageSearch.Row::orderingKey));

  private MessageTexts() {}

  /**
   * Found messages.
   *
   * @param all whether every message was examined, or so many found as were asked for
   */
  static String table(List<JooqMessageSearch.Row> found, boolean all) {
    String table = Column.table(found, ROW, "No messages.");
    return all
        ? table
        : "%s\n\nThe search stopped after %d s, and there are more messages; add --topic or --state."
            .formatted(table, PATIENCE.toSeconds());
  }

  static void fill(ObjectNode root, List<JooqMessageSearch.Row> found, boolean all) {
    root.put("allExamined", all);
    root.set("messages", Column.nodes(found, ROW));
  }

  /**
   * A found message.
   *
   * @param external how long its payload is if that does not lie in its row
   * @param body whether payload and headers are shown, and not their sizes alone
   */
  static String of(MessageDetails found, ExternalBodyLength external, boolean body) {
    Row row = Objects.requireNonNull(found.row());
    String text =
        Column.lines(found, columns(found, row, external))
            + DeadLetterTexts.attempts(found.failures());
    return body ? text + body(row.body()) : text;
  }

  static void fill(
      ObjectNode root, MessageDetails found, ExternalBodyLength external, boolean body) {
    Row row = found.row();
    if (row == null) {
      root.put("id", found.id().value());
      root.put("state", found.place().label());
      return;
    }
    Column.fill(root, found, columns(found, row, external));
    if (body) {
      fill(root, row.body());
    }
  }

  private static List<Column<MessageDetails>> columns(
      MessageDetails found, Row row, ExternalBodyLength external) {
    StoredBody body = row.body();
    Cause cause = row.cause();
    String reason = cause == null ? null : cause.reason();
    String detail = cause == null ? null : cause.detail();
    MessageProgress progress = found.progress();
    CancelRequest request = found.cancelRequest();
    return List.of(
        Column.inLines("id", "id", all -> found.id().value()),
        Column.inLines("state", "state", all -> found.place().label()),
        Column.inLines("topic", "topic", all -> row.topic()),
        Column.optional("ordering key", null, all -> shortened(row.orderingKey())),
        Column.inJson("orderingKey", all -> row.orderingKey()),
        Column.inLines("priority", "priority", all -> row.priority()),
        Column.inLines("claims", "claims", all -> row.counts().claims()),
        Column.inLines("failed", "attempts", all -> row.counts().attempts()),
        Column.inLines("lost", "lost", all -> row.counts().lost()),
        Column.inLines("enqueued", "createdAt", all -> row.createdAt()),
        Column.inLines("due", "dueAt", all -> row.dueAt()),
        Column.inLines(since(found.place()), "since", all -> row.since()),
        Column.optional("worker", null, all -> row.worker().isEmpty() ? null : row.worker()),
        Column.inJson("worker", all -> row.worker()),
        Column.inJson("reason", all -> reason),
        Column.inJson("detail", all -> detail),
        Column.optional("progress", null, all -> progress == null ? null : text(progress)),
        Column.inJson(
            "progress",
            all -> progress == null ? null : Column.nodes(List.of(progress), PROGRESS).get(0)),
        Column.optional("reported", null, all -> progress == null ? null : progress.at()),
        Column.optional("cancellation", null, all -> request == null ? null : text(request)),
        Column.inJson("cancelRequestedAt", all -> request == null ? null : request.requestedAt()),
        Column.inJson("cancelRequestedBy", all -> request == null ? null : request.requestedBy()),
        Column.inJson(
            "failedAttempts", all -> Column.nodes(found.failures(), DeadLetterTexts.ATTEMPT)),
        Column.optional("reason", null, all -> reason),
        Column.optional("detail", null, all -> shortened(detail)),
        Column.inLines("payload", null, all -> payload(body, external)),
        Column.inJson("payloadBytes", all -> bytes(body, external)),
        Column.optional("wrapped by", "wrappedBy", all -> BodyText.wrappedBy(body)));
  }

  private static String since(MessageLocation place) {
    return switch (place) {
      case IN_FLIGHT -> "claimed";
      case DEAD_LETTER -> "dead since";
      case ARCHIVED -> "acknowledged";
      default -> "changed";
    };
  }

  private static @Nullable String shortened(@Nullable String text) {
    return text == null ? null : TextTable.shortened(text);
  }

  /** Such as {@code 17 of 40 (42 %), "part-17.csv"}. */
  private static String text(MessageProgress progress) {
    Long total = progress.total();
    String done = "%,d".formatted(progress.done());
    if (total != null) {
      done += " of %,d".formatted(total);
    }
    if (total != null && total > 0) {
      done += " (%.0f %%)".formatted(Math.floor(100.0 * progress.done() / total));
    }
    String note = TextTable.printable(progress.note());
    return note.isEmpty() ? done : done + ", \"" + note + "\"";
  }

  private static String text(CancelRequest request) {
    return "requested at %s by %s"
        .formatted(request.requestedAt(), TextTable.shortened(request.requestedBy()));
  }

  private static String payload(StoredBody body, ExternalBodyLength external) {
    String place = BodyText.place(body);
    return place == null ? TextTable.plural(body.payload().length, "byte") : external.at(place);
  }

  private static @Nullable Long bytes(StoredBody body, ExternalBodyLength external) {
    if (BodyText.place(body) == null) {
      return (long) body.payload().length;
    }
    return external.bytes().isPresent() ? external.bytes().getAsLong() : null;
  }

  static String body(StoredBody body) {
    String headers = body.headers();
    return "\n\nheaders\n"
        + (headers == null ? "  none" : shown(headers).indent(2).stripTrailing())
        + "\n\npayload\n"
        + payload(body);
  }

  private static String payload(StoredBody body) {
    String elsewhere = BodyText.place(body);
    if (elsewhere != null) {
      return "  " + elsewhere + "; it is not shown here";
    }
    String payload = text(body.payload());
    return payload == null
        ? "  not UTF-8; --out FILE writes it into a file"
        : shown(payload).indent(2).stripTrailing();
  }

  private static String shown(String text) {
    String shown = TextTable.printable(cut(text));
    return shown.length() == text.length()
        ? shown
        : shown
            + "…\n(%,d of %,d characters; --out FILE writes the payload into a file)"
                .formatted(shown.length(), text.length());
  }

  private static String cut(String text) {
    if (text.length() <= SHOWN) {
      return text;
    }
    // Not between the two halves of one character.
    int end = Character.isHighSurrogate(text.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
    return text.substring(0, end);
  }

  private static @Nullable String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** A payload that is cut is not JSON any more, so it is always text. */
  static void fill(ObjectNode root, StoredBody body) {
    fillHeaders(root, body.headers());
    String payload = text(body.payload());
    root.put("payload", payload == null ? null : cut(payload));
    root.put("payloadCut", payload != null && payload.length() > SHOWN);
    root.put("payloadUtf8", payload != null);
  }

  private static void fillHeaders(ObjectNode root, @Nullable String headers) {
    try {
      root.set("headers", headers == null ? null : JSON.readTree(headers));
    } catch (JsonProcessingException e) {
      // SQL can write anything.
      root.put("headers", cut(headers));
    }
  }

  /** Nothing is cut: a payload that is no UTF-8 is in Base64. */
  static void fillWhole(ObjectNode root, StoredBody body) {
    fillHeaders(root, body.headers());
    String payload = text(body.payload());
    root.put("payload", payload);
    if (payload == null) {
      root.put("payloadBase64", body.payload());
    }
  }

  /** Where a payload is stored and what was done to it, as far as that is no secret. */
  static final class BodyText {

    private static final String SEALED = "sealed";

    private BodyText() {}

    /** Such as {@code stored separately in queue_payload_chunk}; null if it is in the row. */
    static @Nullable String place(StoredBody body) {
      String place = header(body, Headers.BODY);
      if (place == null) {
        return null;
      }
      return switch (place) {
        case BodyLocations.ROWS -> "stored separately in queue_payload_chunk";
        case BodyLocations.STORED -> "stored separately in a body store, by queue_payload_ref";
        default -> "stored separately in " + TextTable.shortened(place);
      };
    }

    /** Such as {@code zstd,sealed with key 0x1a2b3c4d}; null if it is as it was encoded. */
    static @Nullable String wrappedBy(StoredBody body) {
      String mark = header(body, Headers.WRAPPED);
      if (mark == null) {
        return null;
      }
      boolean sealedLast = mark.equals(SEALED) || mark.endsWith("," + SEALED);
      return TextTable.shortened(mark) + (sealedLast ? key(body.payload()) : "");
    }

    /** Null if the headers cannot be read: SQL can write anything. */
    private static @Nullable String header(StoredBody body, String name) {
      try {
        return Headers.parse(body.headers()).get(name);
      } catch (PayloadException e) {
        return null;
      }
    }

    private static String key(byte[] payload) {
      try {
        return " with key " + KeyId.of(payload);
      } catch (PayloadException e) {
        return " with no key";
      }
    }
  }

  /**
   * The length of a payload that is stored separately.
   *
   * @param readable whether the account may ask
   * @param bytes empty if there is none, or none any more
   */
  record ExternalBodyLength(boolean readable, OptionalLong bytes) {

    /** Of a payload in its row, or of one whose length is not read. */
    static final ExternalBodyLength NONE = new ExternalBodyLength(true, OptionalLong.empty());

    /**
     * That of {@code found}.
     *
     * @param requested read only where the headers say that it is stored separately
     */
    static ExternalBodyLength of(
        MessageDetails found, Function<MessageId, OptionalLong> requested) {
      MessageDetails.Row row = found.row();
      if (row == null || BodyText.place(row.body()) == null) {
        return NONE;
      }
      try {
        return new ExternalBodyLength(true, requested.apply(found.id()));
      } catch (QueueException e) {
        // An account of an earlier version: all else of the message is shown.
        if (!MissingPrivilege.isIn(e)) {
          throw e;
        }
        return new ExternalBodyLength(false, OptionalLong.empty());
      }
    }

    /** Such as {@code 700,000 bytes, stored separately in queue_payload_chunk}. */
    String at(String place) {
      if (bytes.isPresent()) {
        return "%,d byte%s, %s"
            .formatted(bytes.getAsLong(), bytes.getAsLong() == 1 ? "" : "s", place);
      }
      return readable
          ? place + ", where it is missing"
          : place + "; an account with `grants operator` can read its size";
    }
  }
}
