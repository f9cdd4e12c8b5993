package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.operate.Workers;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks workers to drain. */
@Command(
    name = "drain",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker workers drain LOCK_ID... --url URL [OPTIONS]",
      "   or: queue-worker workers drain --all --url URL [OPTIONS]"
    },
    description = {
      "Asks workers to drain as on SIGTERM and to end: they claim no more, let what runs finish,"
          + " and release the rest. Does not wait until they have; `workers list` shows them as"
          + " draining until they are gone.",
      "Each is asked; one that is not alive is refused, and the exit code is 1."
    })
final class WorkerDrainCommand extends OperatorCommand {

  @Parameters(
      arity = "0..*",
      paramLabel = "LOCK_ID",
      description = "The workers, as `workers list` shows them.")
  private List<String> lockIds = new ArrayList<>();

  @LineOnly
  @Option(
      names = "--all",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Instead of lock_ids: every worker that is alive now.")
  private boolean all;

  WorkerDrainCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (lockIds.isEmpty() == !all) {
      throw CommandFailure.usage("name workers by their lock_ids, or give --all");
    }
    Transactions queue = queue();
    Workers workers = new JooqWorkers(queue);
    List<String> requested =
        all
            ? new WorkerReader(queue).read().stream().map(each -> each.status().lockId()).toList()
            : lockIds;
    if (requested.isEmpty()) {
      show("No worker is alive.");
    }
    return each(
        requested,
        lockId -> {
          workers.drain(lockId);
          return "worker %s is asked to drain".formatted(lockId);
        });
  }
}
