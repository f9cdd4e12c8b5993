package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.MessageId;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.OrderingKeyDetails;
import java.util.ArrayList;
import java.util.List;

/** Lines for people, and as JSON whose names are kept from version to version. */
final class LineTexts {

  private LineTexts() {}

  static String table(List<OrderingKeyDetails> lines) {
    if (lines.isEmpty()) {
      return "No lines.";
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("WAITING", "BESIDE", "HEAD", "PLACE", "ORDERING KEY"));
    for (OrderingKeyDetails line : lines) {
      rows.add(
          List.of(
              Long.toString(line.waiting()),
              Long.toString(line.beside()),
              line.head() == null ? "-" : line.head().toString(),
              line.place() == null ? "-" : line.place().label(),
              TextTable.shortened(line.key())));
    }
    return TextTable.aligned(rows, 0, 2);
  }

  static void fill(ObjectNode root, List<OrderingKeyDetails> lines) {
    ArrayNode all = root.putArray("lines");
    for (OrderingKeyDetails line : lines) {
      MessageId head = line.head();
      MessageLocation place = line.place();
      all.addObject()
          .put("orderingKey", line.key())
          .put("head", head == null ? null : head.value())
          .put("place", place == null ? null : place.label())
          .put("beside", line.beside())
          .put("waiting", line.waiting());
    }
  }
}
