package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.ChainDetails;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Batches and chains for people, and as JSON whose names are kept from version to version. */
final class BatchTexts {

  private static final List<String> COLUMNS =
      List.of("ID", "TOTAL", "DONE", "FAILED", "CANCELLED", "LEFT", "STATE", "OPENED", "NAME");

  private BatchTexts() {}

  static String table(List<BatchDetails> batches) {
    if (batches.isEmpty()) {
      return "No batches.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (BatchDetails batch : batches) {
      BatchCounts counts = batch.counts();
      rows.add(
          List.of(
              Long.toString(batch.batch().id()),
              Long.toString(counts.total()),
              Long.toString(counts.acked()),
              Long.toString(counts.dead()),
              Long.toString(counts.cancelled()),
              Long.toString(counts.left()),
              batch.state(),
              TextTable.time(batch.createdAt()),
              name(batch.name())));
    }
    return TextTable.aligned(rows, 0, 5);
  }

  private static String name(@Nullable String name) {
    return name == null ? "-" : TextTable.shortened(name);
  }

  static String of(BatchDetails batch) {
    BatchCounts counts = batch.counts();
    List<List<String>> rows = new ArrayList<>();
    add(rows, "id", batch.batch().id());
    add(rows, "name", name(batch.name()));
    add(rows, "state", batch.state());
    add(rows, "total", counts.total());
    add(rows, "done", counts.acked());
    add(rows, "failed", counts.dead());
    add(rows, "cancelled", counts.cancelled());
    add(rows, "left", counts.left());
    add(rows, "waits for dead letters", batch.holdsDeadLetters() ? "yes" : "no");
    add(rows, "within batch", orDash(batch.parent()));
    add(rows, "leaves", batch.batch().shards());
    add(rows, "opened", batch.createdAt());
    add(rows, "completed", orDash(batch.completedAt()));
    return TextTable.aligned(rows);
  }

  private static void add(List<List<String>> rows, String name, Object value) {
    rows.add(List.of(name, value.toString()));
  }

  private static String orDash(@Nullable Object value) {
    return value == null ? "-" : value.toString();
  }

  static void fill(ObjectNode root, List<BatchDetails> batches) {
    ArrayNode all = root.putArray("batches");
    batches.forEach(batch -> fill(all.addObject(), batch));
  }

  static void fill(ObjectNode node, BatchDetails batch) {
    BatchCounts counts = batch.counts();
    Instant completed = batch.completedAt();
    node.put("id", batch.batch().id())
        .put("name", batch.name())
        .put("state", batch.state())
        .put("total", counts.total())
        .put("done", counts.acked())
        .put("failed", counts.dead())
        .put("cancelled", counts.cancelled())
        .put("left", counts.left())
        .put("sealed", batch.sealed())
        .put("holdsDeadLetters", batch.holdsDeadLetters())
        .put("parent", batch.parent())
        .put("leaves", batch.batch().shards())
        .put("openedAt", batch.createdAt().toString())
        .put("completedAt", completed == null ? null : completed.toString());
  }

  static String of(ChainDetails chain) {
    List<List<String>> rows = new ArrayList<>();
    add(rows, "id", chain.id());
    add(rows, "name", name(chain.name()));
    add(rows, "message", orDash(chain.message()));
    add(rows, "steps to come", chain.topics().isEmpty() ? "-" : String.join(", ", chain.topics()));
    add(rows, "within batch", orDash(chain.batch()));
    add(rows, "enqueued", chain.createdAt());
    return TextTable.aligned(rows);
  }

  static void fill(ObjectNode root, ChainDetails chain) {
    root.put("id", chain.id())
        .put("name", chain.name())
        .put("message", chain.message() == null ? null : chain.message().value())
        .put("batch", chain.batch())
        .put("enqueuedAt", chain.createdAt().toString());
    ArrayNode topics = root.putArray("stepsToCome");
    chain.topics().forEach(topics::add);
  }
}
