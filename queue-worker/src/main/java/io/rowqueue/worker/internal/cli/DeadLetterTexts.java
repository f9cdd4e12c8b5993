package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.FailedAttempt;
import java.util.ArrayList;
import java.util.List;

/** Dead letters for people, and as JSON whose names are kept from version to version. */
final class DeadLetterTexts {

  private static final List<String> COLUMNS =
      List.of("ID", "TOPIC", "REASON", "ATTEMPTS", "LOST", "SET ASIDE", "DETAIL");

  private DeadLetterTexts() {}

  /** The table of {@code found}, which are the first of {@code all}. */
  static String table(List<DeadLetter> found, long all) {
    if (found.isEmpty()) {
      return "No dead letters.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (DeadLetter each : found) {
      rows.add(
          List.of(
              each.id().toString(),
              each.topic().name(),
              each.reason().label(),
              Integer.toString(each.attempts()),
              Integer.toString(each.lost()),
              TextTable.time(each.deadAt()),
              TextTable.shortened(each.detail())));
    }
    String table = TextTable.aligned(rows, 3, 4);
    return all == found.size()
        ? table
        : "%s\n\nThese are %d of %d; --limit shows more.".formatted(table, found.size(), all);
  }

  static void fill(ObjectNode root, List<DeadLetter> found, long all) {
    root.put("matching", all);
    ArrayNode nodes = root.putArray("deadLetters");
    found.forEach(each -> fill(nodes.addObject(), each));
  }

  /** One with everything that is known of its attempts. */
  static String one(DeadLetter each, List<FailedAttempt> attempts) {
    String table =
        TextTable.aligned(
            List.of(
                List.of("id", each.id().toString()),
                List.of("topic", each.topic().name()),
                List.of("reason", each.reason().label()),
                List.of("claims", Integer.toString(each.claims())),
                List.of("attempts", Integer.toString(each.attempts())),
                List.of("lost", Integer.toString(each.lost())),
                List.of("enqueued", each.createdAt().toString()),
                List.of("set aside", each.deadAt().toString())));
    return table + "\n\n" + TextTable.indented(each.detail()) + FailedAttemptTexts.of(attempts);
  }

  static void fill(ObjectNode root, DeadLetter each, List<FailedAttempt> attempts) {
    fill(root, each);
    FailedAttemptTexts.fill(root, attempts);
  }

  private static void fill(ObjectNode node, DeadLetter each) {
    node.put("id", each.id().value());
    node.put("topic", each.topic().name());
    node.put("reason", each.reason().label());
    node.put("detail", each.detail());
    node.put("claims", each.claims());
    node.put("attempts", each.attempts());
    node.put("lost", each.lost());
    node.put("createdAt", each.createdAt().toString());
    node.put("deadAt", each.deadAt().toString());
  }
}
