package io.rowqueue.worker.internal.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** Puts the commands together, finds their settings, and runs the one that was named. */
final class CommandLineProgram {

  private final Surroundings surroundings;
  private final CommandLine commands;

  CommandLineProgram(Surroundings surroundings) {
    this(
        surroundings,
        new RunCommand(
            surroundings, new GuiceWorkers(surroundings.environment()), new StopSignals()));
  }

  /** With another way to run a worker, for tests. */
  CommandLineProgram(Surroundings surroundings, RunCommand run) {
    this.surroundings = surroundings;
    this.commands =
        new CommandLine(new RootCommand())
            .addSubcommand(run)
            .addSubcommand(new MigrateCommand(surroundings))
            .addSubcommand(new EnqueueCommand(surroundings))
            .addSubcommand(new StatusCommand(surroundings))
            .addSubcommand(new DoctorCommand(surroundings))
            .addSubcommand(deadLetters(surroundings))
            .addSubcommand(messages(surroundings))
            .addSubcommand(topics(surroundings))
            .addSubcommand(schedules(surroundings))
            .addSubcommand(subscriptions(surroundings))
            .addSubcommand(batches(surroundings))
            .addSubcommand(chains(surroundings))
            .addSubcommand(workers(surroundings))
            .addSubcommand(
                CommandGroup.of(
                    "keys",
                    "The keys that payloads are sealed with.",
                    new KeysInUseCommand(surroundings)))
            .addSubcommand(
                CommandGroup.of(
                    "archive",
                    "The copies of acknowledged messages.",
                    new ArchivePartitionCommand(surroundings)))
            .addSubcommand(
                CommandGroup.of(
                    "config", "Looks at the configuration.", new ConfigCheckCommand(surroundings)))
            .addSubcommand(new GrantsCommand(surroundings))
            .addSubcommand(new CompletionCommand(surroundings));
    CommandTree.commands(commands).values().stream()
        .map(CommandLine::getCommandSpec)
        .forEach(
            each ->
                each.usageMessage()
                    .exitCodeList(ExitCodes.help())
                    .footer(CommonOptions.footer(each)));
  }

  private static CommandLine deadLetters(Surroundings surroundings) {
    return CommandGroup.of(
        "dead-letters",
        "The messages that were set aside: looks at them, redrives or deletes them.",
        new DeadLetterListCommand(surroundings),
        new DeadLetterShowCommand(surroundings),
        new DeadLetterRedriveCommand(surroundings),
        new DeadLetterDeleteCommand(surroundings));
  }

  private static CommandLine messages(Surroundings surroundings) {
    return CommandGroup.of(
        "messages",
        "Single messages by their ids: finds or awaits them, or changes what nobody has claimed.",
        new MessageShowCommand(surroundings),
        new MessageAwaitCommand(surroundings),
        new MessageCancelCommand(surroundings),
        new MessageRescheduleCommand(surroundings),
        new MessagePrioritizeCommand(surroundings));
  }

  private static CommandLine topics(Surroundings surroundings) {
    return CommandGroup.of(
        "topics",
        "What is set for whole topics, whichever workers there are.",
        new TopicListCommand(surroundings),
        new TopicPauseCommand(surroundings),
        new TopicResumeCommand(surroundings),
        new TopicKeepCommand(surroundings),
        new TopicLimitCommand(surroundings),
        new TopicOrderCommand(surroundings),
        new TopicLinesCommand(surroundings));
  }

  private static CommandLine schedules(Surroundings surroundings) {
    return CommandGroup.of(
        "schedules",
        "What comes by the clock: looks at it, sets it, pauses it or lets it run now.",
        new ScheduleListCommand(surroundings),
        new ScheduleShowCommand(surroundings),
        new ScheduleSetCommand(surroundings),
        new SchedulePauseCommand(surroundings),
        new ScheduleResumeCommand(surroundings),
        new ScheduleRunNowCommand(surroundings),
        new ScheduleRemoveCommand(surroundings),
        new ScheduleResetCommand(surroundings));
  }

  private static CommandLine subscriptions(Surroundings surroundings) {
    return CommandGroup.of(
        "subscriptions",
        "Which topics get copies of what is published: looks at them, adds, mutes or removes them.",
        new SubscriptionListCommand(surroundings),
        new SubscriptionTestCommand(surroundings),
        new SubscriptionAddCommand(surroundings),
        new SubscriptionRemoveCommand(surroundings),
        new SubscriptionMuteCommand(surroundings),
        new SubscriptionUnmuteCommand(surroundings));
  }

  private static CommandLine batches(Surroundings surroundings) {
    return CommandGroup.of(
        "batches",
        "Messages that belong together: shows their progress, cancels, seals or recounts them.",
        new BatchListCommand(surroundings),
        new BatchShowCommand(surroundings),
        new BatchCancelCommand(surroundings),
        new BatchSealCommand(surroundings),
        new BatchRecountCommand(surroundings));
  }

  private static CommandLine chains(Surroundings surroundings) {
    return CommandGroup.of(
        "chains",
        "Messages one behind another: shows where a chain is, or ends it.",
        new ChainShowCommand(surroundings),
        new ChainCancelCommand(surroundings));
  }

  private static CommandLine workers(Surroundings surroundings) {
    return CommandGroup.of(
        "workers",
        "The workers that are alive, wherever they run.",
        new WorkerListCommand(surroundings),
        new WorkerDrainCommand(surroundings));
  }

  /** Runs the command that {@code args} name; the result is the exit code. */
  int run(String... args) {
    List<String> given = List.of(args);
    // Whatever fails before picocli has parsed can only look for the flag itself.
    Settings settings = new Settings(given, surroundings.environment(), SettingsFile.NONE);
    try {
      settings = new Settings(given, surroundings.environment(), file(given));
    } catch (CommandFailure e) {
      return new ErrorReport(surroundings, settings).report(e, given.contains("--verbose"));
    }
    remember(settings, given);
    try {
      return withOutput(commands(settings).execute(args));
    } finally {
      surroundings.shutdown().end();
    }
  }

  /** The code, unless the result could not be written. */
  private int withOutput(int code) {
    String failure = surroundings.out().failure();
    if (failure != null) {
      ErrorReport.print(surroundings, failure);
    }
    return failure == null || code != ExitCodes.OK ? code : ExitCodes.FAILED;
  }

  /** The commands with their options, for the tests that look at every one of them. */
  CommandLine model() {
    return commands;
  }

  private CommandLine commands(Settings settings) {
    ErrorReport report = new ErrorReport(surroundings, settings);
    return commands
        .setDefaultValueProvider(settings)
        .setParameterExceptionHandler(report)
        .setExecutionExceptionHandler(report)
        .setExecutionStrategy(this::execute)
        .setOut(surroundings.out().writer())
        .setErr(new PrintWriter(surroundings.err(), true, StandardCharsets.UTF_8))
        // Payloads and passwords are taken as they are: no @files, no ${variables}.
        .setExpandAtFiles(false)
        .setInterpolateVariables(false)
        .setUsageHelpAutoWidth(true);
  }

  /** Logging is set up once the options are known, and before anything logs. */
  private int execute(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    OptionSpec level = last.commandSpec().findOption("--log-level");
    OptionSpec format = last.commandSpec().findOption("--log-format");
    boolean daemon = last.commandSpec().userObject() instanceof RunCommand;
    LogOutput.set(
        level == null ? null : level.getValue(), format == null ? null : format.getValue(), daemon);
    if (!daemon) {
      surroundings.shutdown().begin();
    }
    return new RunLast().execute(parsed);
  }

  private SettingsFile file(List<String> args) {
    String name = configName(args);
    boolean onlyHelp = args.stream().anyMatch(Set.of("--help", "-h", "--version", "-V")::contains);
    return name == null || onlyHelp
        ? SettingsFile.NONE
        : SettingsFile.read(Path.of(name), CommandTree.keys(commands));
  }

  /** The file has to be read before picocli parses, since it serves picocli's defaults. */
  private @Nullable String configName(List<String> args) {
    String onCommandLine = valueOf("--" + Settings.CONFIG, args);
    if (onCommandLine != null) {
      return onCommandLine;
    }
    String variable = surroundings.environment().get(Settings.variable(Settings.CONFIG));
    return variable == null || variable.isEmpty() ? null : variable;
  }

  private static @Nullable String valueOf(String option, List<String> args) {
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i).startsWith(option + "=")) {
        return args.get(i).substring(option.length() + 1);
      }
      if (args.get(i).equals(option) && i + 1 < args.size()) {
        return args.get(i + 1);
      }
    }
    return null;
  }

  private void remember(Settings settings, List<String> args) {
    surroundings.secrets().add(valueOf("--password", args));
    surroundings.secrets().addUrl(valueOf("--url", args));
    for (CommandLine command : CommandTree.commands(commands).values()) {
      OptionSpec password = command.getCommandSpec().findOption("--password");
      if (password != null) {
        surroundings.secrets().add(settings.defaultValue(password));
        surroundings
            .secrets()
            .addUrl(settings.defaultValue(command.getCommandSpec().findOption("--url")));
      }
    }
  }

  /** The arguments may hold a password. */
  @Override
  public String toString() {
    return "CommandLineProgram" + Arrays.toString(commands.getSubcommands().keySet().toArray());
  }
}
