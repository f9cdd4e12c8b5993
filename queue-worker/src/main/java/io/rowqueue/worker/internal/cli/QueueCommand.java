package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.DatabaseConfig;
import picocli.CommandLine.Mixin;

/** What the commands share: their options for the database, and their surroundings. */
abstract class QueueCommand {

  @SuppressWarnings("UnusedVariable") // picocli reads its options
  @Mixin
  private final HelpOptions help = new HelpOptions();

  @SuppressWarnings("UnusedVariable") // picocli reads its options
  @Mixin
  private final CommonOptions common = new CommonOptions();

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  private final Surroundings surroundings;

  QueueCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  final Surroundings surroundings() {
    return surroundings;
  }

  /**
   * Changes something, and prints what has become of it.
   *
   * @param doubt what to say if a signal comes while that is not known
   */
  final void change(String doubt, ShutdownReport.Work<RuntimeException> work) {
    surroundings.tell(surroundings.shutdown().step(doubt, work));
  }

  /** The database that the options name. */
  final DatabaseConfig database() {
    database.exposures().forEach(text -> ErrorReport.print(surroundings, text));
    return database.database(surroundings.secrets());
  }
}
