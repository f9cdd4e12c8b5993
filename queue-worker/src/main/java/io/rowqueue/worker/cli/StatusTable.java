package io.rowqueue.worker.cli;

import io.rowqueue.message.TopicNames;
import io.rowqueue.worker.observe.QueueStatus;
import io.rowqueue.worker.observe.TopicStatus;
import io.rowqueue.worker.observe.WorkerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A status as two tables for people. */
final class StatusTable {

  private static final List<String> TOPIC_COLUMNS =
      List.of("TOPIC", "AVAILABLE", "SCHEDULED", "IN FLIGHT", "DEAD LETTERS", "OLDEST AVAILABLE");
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
              Long.toString(topic.inFlight()),
              Long.toString(topic.deadLetters()),
              age(topic.oldestAvailable())));
    }
    return aligned(rows, 1, 5);
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
              worker.leaseLeft().isNegative() ? "ran out" : age(worker.leaseLeft()),
              TopicNames.join(worker.topics())));
    }
    return aligned(rows, 2, 3);
  }

  /** Numbers, in the columns {@code firstRight} to {@code lastRight}, stand at the right. */
  private static String aligned(List<List<String>> rows, int firstRight, int lastRight) {
    int columns = rows.get(0).size();
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        int column = i;
        int width = rows.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
        String blanks = " ".repeat(width - row.get(i).length());
        boolean right = i >= firstRight && i <= lastRight;
        line.append(right ? blanks + row.get(i) : row.get(i) + blanks).append("  ");
      }
      text.append(text.isEmpty() ? "" : "\n").append(line.toString().stripTrailing());
    }
    return text.toString();
  }

  private static String age(@Nullable Duration age) {
    if (age == null) {
      return "-";
    }
    if (age.toDays() > 0) {
      return age.toDays() + "d " + age.toHoursPart() + "h";
    }
    if (age.toHours() > 0) {
      return age.toHours() + "h " + age.toMinutesPart() + "m";
    }
    return age.toMinutes() > 0
        ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
        : "%d.%ds".formatted(age.toSeconds(), age.toMillisPart() / 100);
  }
}
