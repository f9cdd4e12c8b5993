package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.StatusReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what the queue holds and who works on it. */
@Command(
    name = "status",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker status --url URL [--json] [OPTIONS]",
    description = {
      "Shows for each topic what is available, scheduled, in flight and dead, and the workers that"
          + " are alive. Reads one snapshot and locks nothing."
    })
final class StatusCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  StatusCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    QueueStatus status = new StatusReader(queue()).read();
    show(json.requested() ? StatusJson.of(status) : StatusTable.of(status));
    return ExitCodes.OK;
  }
}
