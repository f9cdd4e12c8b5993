package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.archive.JooqArchive;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "archive", description = "Partitions the table of archived messages.")
final class ArchiveCommands extends CommandGroup {

  ArchiveCommands(CommandIo io) {
    super(io, "partition");
  }

  @Command(
      description = {
        "Partitions the table of archived copies by day, once; does nothing if it is partitioned."
            + " Workers then drop whole days that no topic retains, instead of deleting copies in"
            + " batches, and create the partitions of coming days.",
        "The server copies the whole table, which takes time and temporarily as much disk space"
            + " again. Acknowledgements of topics with retention wait until it is done. Run it"
            + " while the table is small, or while no worker runs. No command undoes it.",
        "The account needs CREATE, ALTER and DROP on the table. So does the workers' account, or"
            + " workers continue to delete in batches."
      })
  int partition(
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes) {
    if (!yes) {
      needTerminal("the archive is copied, and acknowledgements may wait in that time; add --yes");
    }
    // A large table takes as long to copy as it takes.
    Transactions queue = reach(Duration.ZERO).transactions();
    if (!yes && !agreed("partition: copy the archive, and let acknowledgements wait?")) {
      throw CommandFailure.failed("nothing was partitioned", null);
    }
    return change(
        "whether the archive was partitioned is not known; the same command says it",
        () ->
            new JooqArchive(queue).partitionByDay()
                ? "the archive is partitioned by day"
                : "the archive was partitioned already");
  }
}
