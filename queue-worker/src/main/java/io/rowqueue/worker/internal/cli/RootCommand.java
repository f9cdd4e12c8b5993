package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What stands before the command's name. */
@Command(
    name = "queue-worker",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker COMMAND [OPTIONS]",
    description = "RowQueue: a durable message queue in your own MySQL or MariaDB.",
    footer = "%nqueue-worker COMMAND --help shows the options and exit codes of a command.")
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets and reads the fields
final class RootCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Mixin private final HelpOptions help = new HelpOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command: " + CommandTree.names(spec));
  }
}
