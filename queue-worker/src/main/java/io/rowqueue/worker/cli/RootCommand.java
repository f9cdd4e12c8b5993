package io.rowqueue.worker.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What stands before the command's name. */
@Command(
    name = "queue-worker",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "RowQueue: a durable message queue in your own MySQL or MariaDB.",
    footer = "%nqueue-worker COMMAND --help shows the options and exit codes of a command.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class RootCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "name a command: run, migrate, enqueue or status");
  }
}
