package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the workers. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker workers list --url URL [--json] [OPTIONS]",
    description = {
      "Shows every worker that nobody has declared dead, wherever it runs. Locks nothing."
    })
final class WorkerListCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  WorkerListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    List<ListedWorker> workers = new WorkerReader(queue()).read();
    show(json.choose(() -> WorkerTexts.table(workers), root -> WorkerTexts.fill(root, workers)));
    return ExitCodes.OK;
  }
}
