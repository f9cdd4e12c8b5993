package io.rowqueue.worker.internal.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = {
      "Prints a script that completes the commands and options of queue-worker, if it"
          + " is a script or an alias for java -jar queue-worker.jar.",
      "bash: source <(queue-worker completion bash). zsh: the same; it is bash's script and enables"
          + " zsh's bashcompinit. fish is not supported."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CompletionCommand implements Callable<Integer> {

  private static final String PROGRAM = "queue-worker";

  @Spec private CommandSpec command;

  @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
  private String shell;

  private final CommandIo io;

  CompletionCommand(CommandIo io) {
    this.io = io;
  }

  @Override
  public Integer call() {
    switch (shell.toLowerCase(Locale.ROOT)) {
      case "bash", "zsh" ->
          io.show(AutoComplete.bash(PROGRAM, command.root().commandLine()).stripTrailing());
      case "fish" ->
          throw CommandFailure.usage("fish is not supported; there are scripts for bash and zsh");
      default ->
          throw CommandFailure.usage("there is no script for this shell; there are bash and zsh");
    }
    return ExitCodes.OK;
  }
}
