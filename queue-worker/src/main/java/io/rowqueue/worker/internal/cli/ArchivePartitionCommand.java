package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.archive.JooqArchive;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Partitions the archive by day. */
@Command(
    name = "partition",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker archive partition --url URL [--yes] [OPTIONS]",
    description = {
      "Partitions the table of the archived copies by day, once; if it is, nothing happens. From"
          + " then on workers drop the days that no topic keeps as a whole, where they otherwise"
          + " delete copies in batches, and make the partitions of the days that come.",
      "The server copies the whole table for it, which takes time and, for a while, as much room"
          + " again. Until it is done, acknowledgements of topics that keep copies wait. So it is"
          + " for a table that is still small, or an hour in which nothing runs. No command undoes"
          + " it.",
      "The account needs CREATE, ALTER and DROP on the table; so does the workers', or they go on"
          + " in batches."
    })
final class ArchivePartitionCommand extends OperatorCommand {

  @Option(
      names = "--yes",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Without a question.")
  private boolean yes;

  ArchivePartitionCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (!yes) {
      needTerminal("the archive is copied, and acknowledgements may wait meanwhile; add --yes");
    }
    // A large table takes as long to copy as it takes.
    Transactions queue =
        CommandDatabase.reach(database(), Duration.ZERO).withFittingSchema().transactions();
    if (!yes && !agreed("partition: copy the archive, and let acknowledgements wait?")) {
      throw CommandFailure.failed("nothing was partitioned", null);
    }
    change(
        "whether the archive was partitioned is not known; the same command says it",
        () ->
            new JooqArchive(queue).partitionByDay()
                ? "the archive is partitioned by day"
                : "the archive was partitioned already");
    return ExitCodes.OK;
  }
}
