package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.DatabaseConfig;
import picocli.CommandLine.Mixin;

/** What the commands share: their options for the database, and their io. */
abstract class QueueCommand {

  @SuppressWarnings("UnusedVariable") // picocli reads its options
  @Mixin
  private final HelpOptions help = new HelpOptions();

  @SuppressWarnings("UnusedVariable") // picocli reads its options
  @Mixin
  private final CommonOptions common = new CommonOptions();

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  private final CommandIo io;

  QueueCommand(CommandIo io) {
    this.io = io;
  }

  final CommandIo io() {
    return io;
  }

  /**
   * Changes something, and prints what has become of it.
   *
   * @param doubt what to say if a signal comes while that is not known
   */
  final void change(String doubt, ShutdownReport.Work<RuntimeException> work) {
    io.tell(io.shutdown().step(doubt, work));
  }

  /** The database that the options name. */
  final DatabaseConfig database() {
    database.exposures().forEach(text -> ErrorReport.print(io, text));
    return database.database(io.secrets());
  }
}
