package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Batches;
import picocli.CommandLine.Command;

/** Closes open batches to members from outside. */
@Command(
    name = "seal",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker batches seal ID... --url URL [OPTIONS]",
    description = {
      "Says that nobody outside adds to a batch any more, in place of a producer that has not. It"
          + " completes when its last member has ended; at once if it has none.",
      BatchChangeCommand.EACH_IS_TRIED
    })
final class BatchSealCommand extends BatchChangeCommand {

  BatchSealCommand(CommandIo io) {
    super(io);
  }

  @Override
  String change(Batches batches, long id) {
    batches.close(id);
    return "sealed";
  }
}
