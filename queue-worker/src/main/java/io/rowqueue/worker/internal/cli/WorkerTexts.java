package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Workers for people, and as JSON whose names are kept from version to version. */
final class WorkerTexts {

  private static final List<String> COLUMNS =
      List.of("WORKER", "HOST", "PID", "LEASE LEFT", "VERSION", "STARTED", "STATE", "TOPICS");

  private WorkerTexts() {}

  static String table(List<ListedWorker> workers) {
    if (workers.isEmpty()) {
      return "No worker is alive.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (ListedWorker worker : workers) {
      WorkerStatus status = worker.status();
      rows.add(
          List.of(
              status.lockId(),
              status.host(),
              Long.toString(status.pid()),
              lease(status.leaseLeft()),
              status.version(),
              TextTable.time(worker.startedAt()),
              worker.draining() ? "draining" : "running",
              TopicNames.join(status.topics())));
    }
    return TextTable.aligned(rows, 2, 3);
  }

  private static String lease(Duration left) {
    return left.isNegative() ? "ran out" : TextTable.age(left);
  }

  static void fill(ObjectNode root, List<ListedWorker> workers) {
    ArrayNode nodes = root.putArray("workers");
    for (ListedWorker worker : workers) {
      ObjectNode node = nodes.addObject();
      StatusJson.add(node, worker.status());
      node.put("startedAt", worker.startedAt().toString());
      node.put("draining", worker.draining());
    }
  }
}
