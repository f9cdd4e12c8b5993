package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageProgress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One message for people, and as JSON whose names are kept from version to version. */
final class MessageTexts {

  /** In characters; the rest is for a file. */
  static final int SHOWN = 4_096;

  private static final JsonMapper JSON = new JsonMapper();

  private MessageTexts() {}

  /**
   * A found message.
   *
   * @param beside how long its payload is if that does not lie in its row
   * @param body whether payload and headers are shown, and not their sizes alone
   */
  static String of(MessageDetails found, ExternalBodyLength beside, boolean body) {
    MessageDetails.Row row = Objects.requireNonNull(found.row());
    List<List<String>> rows = new ArrayList<>();
    add(rows, "id", found.id().toString());
    add(rows, "place", found.place().label());
    add(rows, "topic", TextTable.printable(row.topic()));
    String orderingKey = row.orderingKey();
    if (orderingKey != null) {
      add(rows, "ordering key", TextTable.shortened(orderingKey));
    }
    add(rows, "priority", Integer.toString(row.priority()));
    add(rows, "claims", Integer.toString(row.counts().claims()));
    add(rows, "attempts", Integer.toString(row.counts().attempts()));
    add(rows, "lost", Integer.toString(row.counts().lost()));
    add(rows, "enqueued", row.createdAt().toString());
    add(rows, "due", row.dueAt().toString());
    add(rows, since(found), row.since().toString());
    if (!row.worker().isEmpty()) {
      add(rows, "worker", row.worker());
    }
    MessageProgress progress = found.progress();
    if (progress != null) {
      add(rows, "progress", text(progress));
      add(rows, "reported", progress.at().toString());
    }
    CancelRequest request = found.cancelRequest();
    if (request != null) {
      add(
          rows,
          "cancellation",
          "asked at %s by %s"
              .formatted(request.requestedAt(), TextTable.shortened(request.requestedBy())));
    }
    if (row.verdict() != null) {
      add(rows, "reason", row.verdict().reason());
      add(rows, "detail", TextTable.shortened(row.verdict().detail()));
    }
    add(rows, "payload", payload(row.body(), beside));
    String wrapped = WrappedText.of(row.body());
    if (wrapped != null) {
      add(rows, "wrapped by", wrapped);
    }
    String text = TextTable.aligned(rows) + FailedAttemptTexts.of(found.failures());
    return body ? text + body(row.body()) : text;
  }

  private static void add(List<List<String>> rows, String name, String value) {
    rows.add(List.of(name, value));
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

  private static String since(MessageDetails found) {
    return switch (found.place()) {
      case IN_FLIGHT -> "claimed";
      case DEAD_LETTER -> "set aside";
      case ARCHIVED -> "acknowledged";
      default -> "changed";
    };
  }

  private static String payload(StoredBody body, ExternalBodyLength beside) {
    String place = PlaceText.of(body);
    return place == null ? TextTable.plural(body.payload().length, "byte") : beside.at(place);
  }

  static String body(StoredBody body) {
    String headers = body.headers();
    return "\n\nheaders\n"
        + (headers == null ? "  none" : shown(headers).indent(2).stripTrailing())
        + "\n\npayload\n"
        + payload(body);
  }

  private static String payload(StoredBody body) {
    String elsewhere = PlaceText.of(body);
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

  static void fill(ObjectNode root, MessageDetails found, ExternalBodyLength beside, boolean body) {
    root.put("id", found.id().value());
    root.put("place", found.place().label());
    MessageDetails.Row row = found.row();
    if (row == null) {
      return;
    }
    root.put("topic", row.topic());
    root.put("orderingKey", row.orderingKey());
    root.put("priority", row.priority());
    root.put("claims", row.counts().claims());
    root.put("attempts", row.counts().attempts());
    root.put("lost", row.counts().lost());
    root.put("createdAt", row.createdAt().toString());
    root.put("dueAt", row.dueAt().toString());
    root.put("since", row.since().toString());
    root.put("worker", row.worker());
    root.put("reason", row.verdict() == null ? null : row.verdict().reason());
    root.put("detail", row.verdict() == null ? null : row.verdict().detail());
    fill(root, found.progress());
    CancelRequest request = found.cancelRequest();
    root.put("cancelAskedAt", request == null ? null : request.requestedAt().toString());
    root.put("cancelRequestedBy", request == null ? null : request.requestedBy());
    FailedAttemptTexts.fill(root, found.failures());
    root.put("payloadBytes", bytes(row.body(), beside));
    root.put("wrappedBy", WrappedText.of(row.body()));
    if (body) {
      fill(root, row.body());
    }
  }

  private static @Nullable Long bytes(StoredBody body, ExternalBodyLength beside) {
    if (PlaceText.of(body) == null) {
      return (long) body.payload().length;
    }
    return beside.bytes().isPresent() ? beside.bytes().getAsLong() : null;
  }

  private static void fill(ObjectNode root, @Nullable MessageProgress progress) {
    if (progress == null) {
      root.putNull("progress");
      return;
    }
    ObjectNode node = root.putObject("progress");
    node.put("done", progress.done());
    node.put("total", progress.total());
    node.put("note", progress.note());
    node.put("at", progress.at().toString());
  }

  /** A payload that is cut is not JSON any more, so it is always text. */
  static void fill(ObjectNode root, StoredBody body) {
    String headers = body.headers();
    try {
      root.set("headers", headers == null ? null : JSON.readTree(headers));
    } catch (JsonProcessingException e) {
      // Whoever enqueues by SQL can write anything.
      root.put("headers", cut(headers));
    }
    String payload = text(body.payload());
    root.put("payload", payload == null ? null : cut(payload));
    root.put("payloadCut", payload != null && payload.length() > SHOWN);
    root.put("payloadUtf8", payload != null);
  }
}
