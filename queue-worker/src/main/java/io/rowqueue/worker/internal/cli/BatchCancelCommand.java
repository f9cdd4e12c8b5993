package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Batches;
import picocli.CommandLine.Command;

/** Takes what has not started of batches out of the queue. */
@Command(
    name = "cancel",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker batches cancel ID... --url URL [OPTIONS]",
    description = {
      "Takes out of the queue what of a batch, and of batches within it, has not started, and ends"
          + " its chains. What is being handled runs to its end; then the batch completes, and its"
          + " completion message says how many were cancelled. Dead letters stay: a batch that"
          + " holds them completes when they are deleted or redriven.",
      BatchChangeCommand.EACH_IS_TRIED
    })
final class BatchCancelCommand extends BatchChangeCommand {

  BatchCancelCommand(CommandIo io) {
    super(io);
  }

  @Override
  String change(Batches batches, long id) {
    return "cancelled: %s taken out".formatted(TextTable.plural(batches.cancel(id), "message"));
  }
}
