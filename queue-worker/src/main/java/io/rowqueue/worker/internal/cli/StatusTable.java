package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.util.ArrayList;
import java.util.List;

/** A status as two tables for people. */
final class StatusTable {

  private static final List<String> TOPIC_COLUMNS =
      List.of(
          "TOPIC",
          "AVAILABLE",
          "SCHEDULED",
          "IN LINE",
          "IN FLIGHT",
          "DEAD LETTERS",
          "OLDEST AVAILABLE");
  private static final List<String> WORKER_COLUMNS =
      List.of("WORKER", "HOST", "PID", "LEASE LEFT", "TOPICS");

  private StatusTable() {}

  static String of(QueueStatus status) {
    return topics(status.topics()) + "\n\n" + workers(status.workers());
  }

  private static String topics(List<TopicStatus> topics) {
    if (topics.isEmpty()) {
      return "No messages, no dead letters.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(TOPIC_COLUMNS));
    for (TopicStatus topic : topics) {
      rows.add(
          List.of(
              topic.topic(),
              Long.toString(topic.available()),
              Long.toString(topic.scheduled()),
              Long.toString(topic.blocked()),
              Long.toString(topic.inFlight()),
              Long.toString(topic.deadLetters()),
              TextTable.age(topic.oldestAvailable())));
    }
    return TextTable.aligned(rows, 1, 6);
  }

  private static String workers(List<WorkerStatus> workers) {
    if (workers.isEmpty()) {
      return "No worker is alive.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(WORKER_COLUMNS));
    for (WorkerStatus worker : workers) {
      rows.add(
          List.of(
              worker.lockId(),
              worker.host(),
              Long.toString(worker.pid()),
              worker.leaseLeft().isNegative() ? "ran out" : TextTable.age(worker.leaseLeft()),
              TopicNames.join(worker.topics())));
    }
    return TextTable.aligned(rows, 2, 3);
  }
}
