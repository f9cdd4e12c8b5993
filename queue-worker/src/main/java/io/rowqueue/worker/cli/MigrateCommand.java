package io.rowqueue.worker.cli;

import io.rowqueue.schema.QueueSchema;
import io.rowqueue.worker.migrate.Migrator;
import io.rowqueue.worker.migrate.Migrator.Migrated;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Creates or updates the queue's tables. */
@Command(
    name = "migrate",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker migrate --url URL [OPTIONS]",
    description = {
      "Creates or updates the queue's tables, all named queue_*, beside the team's own.",
      "The account needs what `queue-worker grants migrator` prints, which workers and producers do"
          + " not."
    })
final class MigrateCommand extends QueueCommand implements Callable<Integer> {

  MigrateCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    // A large table takes as long to alter as it takes.
    CommandDatabase database = CommandDatabase.reach(database(), Duration.ZERO);
    String location = surroundings().secrets().hide(database.location());
    change(
        "whether the schema of %s was migrated, or a part of it, is not known; the same command goes on, or says what to do"
            .formatted(location),
        () -> {
          Migrated result = Migrator.migrate(database.dataSource());
          database.withFittingSchema();
          return describe(result, location);
        });
    return ExitCodes.OK;
  }

  private static String describe(Migrated result, String location) {
    if (result.changed()) {
      return "schema of %s migrated from version %d to %d"
          .formatted(location, result.from(), result.to());
    }
    return result.to() > QueueSchema.KNOWN_VERSION
        ? "schema of %s is version %d, newer than this RowQueue's %d; nothing to do"
            .formatted(location, result.to(), QueueSchema.KNOWN_VERSION)
        : "schema of %s is up to date at version %d".formatted(location, result.to());
  }
}
