package io.rowqueue.worker.internal.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A word that several commands begin with; it does nothing alone. */
@Command(versionProvider = VersionText.class)
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets and reads the fields
final class CommandGroup implements Runnable {

  @Spec private CommandSpec spec;

  @Mixin private final HelpOptions help = new HelpOptions();

  private CommandGroup() {}

  /** The group {@code name} of these commands, each of which has a name of its own. */
  static CommandLine of(String name, String description, Object... commands) {
    CommandLine group = new CommandLine(new CommandGroup());
    group
        .getCommandSpec()
        .name(name)
        .usageMessage()
        .description(description)
        .customSynopsis("queue-worker " + name + " COMMAND [OPTIONS]");
    for (Object command : commands) {
      group.addSubcommand(command);
    }
    return group;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "name a command of %s: %s".formatted(spec.name(), CommandTree.names(spec)));
  }
}
