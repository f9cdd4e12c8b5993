package io.rowqueue.worker.cli;

import io.rowqueue.worker.migrate.Migrator;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Creates or upgrades the tables. */
@Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = "Creates the queue's tables in the schema, or brings them to this version.")
final class MigrateCommand implements Callable<Integer> {

  @Mixin CommonOptions common = new CommonOptions();

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    Migrator.Migrated migrated = Migrator.migrate(common.dataSource());
    spec.commandLine()
        .getOut()
        .println(
            migrated.changed()
                ? "migrated from version %d to %d".formatted(migrated.from(), migrated.to())
                : "the schema is version %d already".formatted(migrated.to()));
    return 0;
  }
}
