package io.rowqueue.worker.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.rowqueue.database.Transactions;
import io.rowqueue.worker.observe.QueueStatus;
import io.rowqueue.worker.observe.QueueStatus.TopicStatus;
import io.rowqueue.worker.observe.QueueStatus.WorkerStatus;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One look at the queue. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Shows the depth of every topic and the workers that are alive.")
final class StatusCommand implements Callable<Integer> {

  @Mixin CommonOptions common = new CommonOptions();

  @Option(names = "--json", description = "For programs.")
  boolean json;

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws JsonProcessingException {
    Transactions transactions = Transactions.on(common.dataSource());
    io.rowqueue.schema.QueueSchema.of(transactions).check();
    QueueStatus status = QueueStatus.read(transactions);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new JsonMapper().writeValueAsString(status));
    } else {
      print(out, status);
    }
    out.flush();
    return 0;
  }

  private static void print(PrintWriter out, QueueStatus status) {
    out.printf(
        "%-32s %10s %10s %10s %10s %10s%n",
        "TOPIC", "AVAILABLE", "SCHEDULED", "IN FLIGHT", "DEAD", "OLDEST");
    for (TopicStatus topic : status.topics()) {
      out.printf(
          "%-32s %10d %10d %10d %10d %9ds%n",
          topic.topic(),
          topic.available(),
          topic.scheduled(),
          topic.inFlight(),
          topic.dead(),
          topic.oldestSeconds());
    }
    out.printf("%n%-48s %10s  %s%n", "WORKER", "LEASE", "TOPICS");
    for (WorkerStatus worker : status.workers()) {
      out.printf(
          "%-48s %9ds  %s%n",
          worker.lockId(), worker.leaseSeconds(), String.join(",", worker.topics()));
    }
  }
}
