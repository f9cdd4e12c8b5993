package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Batches;
import picocli.CommandLine.Command;

/** Sets the counts of batches to what is there. */
@Command(
    name = "recount",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker batches recount ID... --url URL [OPTIONS]",
    description = {
      "Counts what is left of a batch in the tables, after somebody has deleted or inserted members"
          + " by hand. What is missing counts as cancelled. Settlements of its members wait"
          + " meanwhile, and the whole queue is read once.",
      BatchChangeCommand.EACH_IS_TRIED
    })
final class BatchRecountCommand extends BatchChangeCommand {

  BatchRecountCommand(CommandIo io) {
    super(io);
  }

  @Override
  String change(Batches batches, long id) {
    return "recounted: " + batches.recount(id).text();
  }
}
