package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Commands with the same first word; each is a method, and the word alone does nothing. */
abstract class CommandGroup extends QueueCommand implements Runnable {

  private final List<String> names;

  /** With the commands of these names, in the order of the help. */
  CommandGroup(CommandIo io, String... names) {
    super(io);
    this.names = List.of(names);
  }

  final CommandLine line() {
    CommandLine line = new CommandLine(this);
    // Picocli sorts the methods by their names.
    for (String name : names) {
      line.getCommandSpec().addSubcommand(name, line.getCommandSpec().removeSubcommand(name));
    }
    return line;
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec().commandLine(),
        "name a command of %s: %s".formatted(spec().name(), CommandTree.names(spec())));
  }
}
