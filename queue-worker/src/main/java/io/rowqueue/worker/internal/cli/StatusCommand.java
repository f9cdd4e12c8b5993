package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.StatusReader;
import io.rowqueue.worker.internal.observe.TopicStatus;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description =
        "Shows the number of available, scheduled and in-flight messages and of dead letters of"
            + " each topic, and the live workers. Reads one snapshot and locks nothing.")
final class StatusCommand extends QueueCommand implements Callable<Integer> {

  static final List<Column<TopicStatus>> TOPIC =
      List.of(
          Column.left("TOPIC", "topic", TopicStatus::topic),
          Column.right("AVAILABLE", "available", TopicStatus::available),
          Column.right("SCHEDULED", "scheduled", TopicStatus::scheduled),
          Column.right("BLOCKED", "blocked", TopicStatus::blocked),
          Column.right("IN FLIGHT", "inFlight", TopicStatus::inFlight),
          Column.right("DEAD LETTERS", "deadLetters", TopicStatus::deadLetters),
          Column.right("OLDEST AVAILABLE", "oldestAvailableSeconds", TopicStatus::oldestAvailable));

  static final List<Column<WorkerStatus>> WORKER =
      List.of(
          Column.left("WORKER", "lockId", WorkerStatus::lockId),
          Column.left("HOST", "host", WorkerStatus::host),
          Column.right("PID", "pid", WorkerStatus::pid),
          Column.right("LEASE LEFT", null, StatusCommand::lease),
          Column.inJson("version", WorkerStatus::version),
          Column.inJson("leaseSecondsLeft", WorkerStatus::leaseLeft),
          Column.left("TOPICS", "topics", WorkerStatus::topics));

  /** In place of an empty table of workers. */
  static final String NO_WORKER = "No worker is alive.";

  @Mixin private final JsonOptions json = new JsonOptions();

  StatusCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    QueueStatus status = new StatusReader(queue()).read();
    return show(json, () -> table(status), root -> fill(root, status));
  }

  static String table(QueueStatus status) {
    return Column.table(status.topics(), TOPIC, "No messages, no dead letters.")
        + "\n\n"
        + Column.table(workers(status), WORKER, NO_WORKER);
  }

  private static List<WorkerStatus> workers(QueueStatus status) {
    return status.workers().stream().map(ListedWorker::status).toList();
  }

  static void fill(ObjectNode root, QueueStatus status) {
    root.put("at", status.at().toString());
    root.set("topics", Column.nodes(status.topics(), TOPIC));
    root.set("workers", Column.nodes(workers(status), WORKER));
  }

  static String lease(WorkerStatus worker) {
    return worker.leaseLeft().isNegative() ? "expired" : TextTable.age(worker.leaseLeft());
  }
}
