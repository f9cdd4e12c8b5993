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

  private final CommandIo io;
  private final CommandLine commands;

  CommandLineProgram(CommandIo io) {
    this(io, new RunCommand(io, new GuiceWorkers(io.environment()), new StopSignals()));
  }

  /** With another way to run a worker, for tests. */
  CommandLineProgram(CommandIo io, RunCommand run) {
    this.io = io;
    this.commands =
        new CommandLine(new RootCommand())
            .addSubcommand(run)
            .addSubcommand(new MigrateCommand(io))
            .addSubcommand(new EnqueueCommand(io))
            .addSubcommand(new StatusCommand(io))
            .addSubcommand(new DoctorCommand(io))
            .addSubcommand(deadLetters(io))
            .addSubcommand(messages(io))
            .addSubcommand(topics(io))
            .addSubcommand(schedules(io))
            .addSubcommand(subscriptions(io))
            .addSubcommand(batches(io))
            .addSubcommand(chains(io))
            .addSubcommand(workers(io))
            .addSubcommand(
                CommandGroup.of(
                    "keys", "The keys that payloads are sealed with.", new KeysInUseCommand(io)))
            .addSubcommand(
                CommandGroup.of(
                    "archive",
                    "The copies of acknowledged messages.",
                    new ArchivePartitionCommand(io)))
            .addSubcommand(
                CommandGroup.of(
                    "config", "Looks at the configuration.", new ConfigCheckCommand(io)))
            .addSubcommand(new GrantsCommand(io))
            .addSubcommand(new CompletionCommand(io));
    CommandTree.commands(commands).values().stream()
        .map(CommandLine::getCommandSpec)
        .forEach(
            each ->
                each.usageMessage()
                    .exitCodeList(ExitCodes.help())
                    .footer(CommonOptions.footer(each)));
  }

  private static CommandLine deadLetters(CommandIo io) {
    return CommandGroup.of(
        "dead-letters",
        "The messages that were set aside: looks at them, redrives or deletes them.",
        new DeadLetterListCommand(io),
        new DeadLetterShowCommand(io),
        new DeadLetterRedriveCommand(io),
        new DeadLetterDeleteCommand(io));
  }

  private static CommandLine messages(CommandIo io) {
    return CommandGroup.of(
        "messages",
        "Single messages by their ids: finds or awaits them, or changes what nobody has claimed.",
        new MessageShowCommand(io),
        new MessageAwaitCommand(io),
        new MessageCancelCommand(io),
        new MessageRescheduleCommand(io),
        new MessagePrioritizeCommand(io));
  }

  private static CommandLine topics(CommandIo io) {
    return CommandGroup.of(
        "topics",
        "What is set for whole topics, whichever workers there are.",
        new TopicListCommand(io),
        new TopicPauseCommand(io),
        new TopicResumeCommand(io),
        new TopicKeepCommand(io),
        new TopicLimitCommand(io),
        new TopicOrderCommand(io),
        new TopicLinesCommand(io));
  }

  private static CommandLine schedules(CommandIo io) {
    return CommandGroup.of(
        "schedules",
        "What comes by the clock: looks at it, sets it, pauses it or lets it run now.",
        new ScheduleListCommand(io),
        new ScheduleShowCommand(io),
        new ScheduleSetCommand(io),
        new SchedulePauseCommand(io),
        new ScheduleResumeCommand(io),
        new ScheduleRunNowCommand(io),
        new ScheduleRemoveCommand(io),
        new ScheduleResetCommand(io));
  }

  private static CommandLine subscriptions(CommandIo io) {
    return CommandGroup.of(
        "subscriptions",
        "Which topics get copies of what is published: looks at them, adds, mutes or removes them.",
        new SubscriptionListCommand(io),
        new SubscriptionTestCommand(io),
        new SubscriptionAddCommand(io),
        new SubscriptionRemoveCommand(io),
        new SubscriptionMuteCommand(io),
        new SubscriptionUnmuteCommand(io));
  }

  private static CommandLine batches(CommandIo io) {
    return CommandGroup.of(
        "batches",
        "Messages that belong together: shows their progress, cancels, seals or recounts them.",
        new BatchListCommand(io),
        new BatchShowCommand(io),
        new BatchCancelCommand(io),
        new BatchSealCommand(io),
        new BatchRecountCommand(io));
  }

  private static CommandLine chains(CommandIo io) {
    return CommandGroup.of(
        "chains",
        "Messages one behind another: shows where a chain is, or ends it.",
        new ChainShowCommand(io),
        new ChainCancelCommand(io));
  }

  private static CommandLine workers(CommandIo io) {
    return CommandGroup.of(
        "workers",
        "The workers that are alive, wherever they run.",
        new WorkerListCommand(io),
        new WorkerDrainCommand(io));
  }

  /** Runs the command that {@code args} name; the result is the exit code. */
  int run(String... args) {
    List<String> given = List.of(args);
    // Whatever fails before picocli has parsed can only look for the flag itself.
    Settings settings = new Settings(given, io.environment(), SettingsFile.NONE);
    try {
      settings = new Settings(given, io.environment(), file(given));
    } catch (CommandFailure e) {
      return new ErrorReport(io, settings).report(e, given.contains("--verbose"));
    }
    remember(settings, given);
    try {
      return withOutput(commands(settings).execute(args));
    } finally {
      io.shutdown().end();
    }
  }

  /** The code, unless the result could not be written. */
  private int withOutput(int code) {
    String failure = io.out().failure();
    if (failure != null) {
      ErrorReport.print(io, failure);
    }
    return failure == null || code != ExitCodes.OK ? code : ExitCodes.FAILED;
  }

  /** The commands with their options, for the tests that look at every one of them. */
  CommandLine model() {
    return commands;
  }

  private CommandLine commands(Settings settings) {
    ErrorReport report = new ErrorReport(io, settings);
    return commands
        .setDefaultValueProvider(settings)
        .setParameterExceptionHandler(report)
        .setExecutionExceptionHandler(report)
        .setExecutionStrategy(this::execute)
        .setOut(io.out().writer())
        .setErr(new PrintWriter(io.err(), true, StandardCharsets.UTF_8))
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
      io.shutdown().begin();
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
    String variable = io.environment().get(Settings.variable(Settings.CONFIG));
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
    io.secrets().add(valueOf("--password", args));
    io.secrets().addUrl(valueOf("--url", args));
    for (CommandLine command : CommandTree.commands(commands).values()) {
      OptionSpec password = command.getCommandSpec().findOption("--password");
      if (password != null) {
        io.secrets().add(settings.defaultValue(password));
        io.secrets().addUrl(settings.defaultValue(command.getCommandSpec().findOption("--url")));
      }
    }
  }

  /** The arguments may hold a password. */
  @Override
  public String toString() {
    return "CommandLineProgram" + Arrays.toString(commands.getSubcommands().keySet().toArray());
  }
}
