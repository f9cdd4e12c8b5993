package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommonOptions.LogOutput;
import io.rowqueue.worker.internal.cli.RunCommand.StopSignals;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

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
        new CommandLine(new Root())
            .addSubcommand(run)
            .addSubcommand(new MigrateCommand(io))
            .addSubcommand(new EnqueueCommand(io))
            .addSubcommand(new StatusCommand(io))
            .addSubcommand(new TopCommand(io))
            .addSubcommand(new DoctorCommand(io))
            .addSubcommand(new DeadLetterCommands(io).line())
            .addSubcommand(new MessageCommands(io).line())
            .addSubcommand(new TopicCommands(io).line())
            .addSubcommand(new ScheduleCommands(io).line())
            .addSubcommand(new SubscriptionCommands(io).line())
            .addSubcommand(new BatchCommands(io).line())
            .addSubcommand(new ChainCommands(io).line())
            .addSubcommand(new WorkerCommands(io).line())
            .addSubcommand(new KeyCommands(io).line())
            .addSubcommand(new AuditCommands(io).line())
            .addSubcommand(new ArchiveCommands(io).line())
            .addSubcommand(new ConfigCommands(io).line())
            .addSubcommand(new GrantsCommand(io))
            .addSubcommand(new CompletionCommand(io));
    complete(commands, null);
    Converters.register(commands);
  }

  /** Adds what all commands have. The methods of a group have its options for the database. */
  private static void complete(CommandLine command, @Nullable Object group) {
    CommandSpec spec = command.getCommandSpec();
    spec.versionProvider(new CommonOptions.Version());
    spec.usageMessage().abbreviateSynopsis(true);
    mixIn(spec, "help", new CommonOptions.Help());
    command.getSubcommands().values().forEach(each -> complete(each, command.getCommand()));
    if (command.getSubcommands().isEmpty()) {
      mixIn(spec, "common", new CommonOptions());
      Object owner = spec.userObject() instanceof Method ? group : spec.userObject();
      if (owner instanceof QueueCommand queue) {
        mixIn(spec, "database", queue.databaseOptions());
      }
      spec.usageMessage().exitCodeList(ExitCodes.help()).footer(CommonOptions.footer(spec));
    }
  }

  private static void mixIn(CommandSpec spec, String name, Object options) {
    spec.addMixin(name, CommandSpec.forAnnotatedObject(options));
  }

  int run(String... args) {
    List<String> given = List.of(args);
    // Before picocli has parsed, --verbose can only be found in the arguments.
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
    // Help texts name constants by variables; values were parsed without any.
    commands.setInterpolateVariables(last.isUsageHelpRequested());
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

  @Command(
      name = "queue-worker",
      description = "RowQueue: a durable message queue in your own MySQL or MariaDB.",
      footer = "%nqueue-worker COMMAND --help shows the options and exit codes of a command.")
  @SuppressWarnings("NullAway.Init") // picocli sets the field
  private static final class Root implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
      throw new ParameterException(
          spec.commandLine(), "name a command: " + CommandTree.names(spec));
    }
  }

  /** All commands at once, for what holds for every one of them. */
  static final class CommandTree {

    private CommandTree() {}

    /** Every command that does something, by its words, such as {@code topics pause}. */
    static Map<String, CommandLine> commands(CommandLine root) {
      Map<String, CommandLine> commands = new TreeMap<>();
      collect("", root, commands);
      return commands;
    }

    private static void collect(String words, CommandLine from, Map<String, CommandLine> commands) {
      for (Map.Entry<String, CommandLine> each : from.getSubcommands().entrySet()) {
        String name = words + each.getKey();
        if (each.getValue().getSubcommands().isEmpty()) {
          commands.put(name, each.getValue());
        } else {
          collect(name + " ", each.getValue(), commands);
        }
      }
    }

    /** Every key that a file can have: one file serves all commands. */
    static Set<String> keys(CommandLine root) {
      Set<String> keys = new TreeSet<>();
      for (CommandLine command : commands(root).values()) {
        for (OptionSpec option : command.getCommandSpec().options()) {
          String key = Settings.key(option);
          if (key != null && !key.equals(Settings.CONFIG)) {
            keys.add(key);
          }
        }
      }
      return keys;
    }

    /** The commands right below {@code spec}, in the order of the help, as a sentence has them. */
    static String names(CommandSpec spec) {
      String all = spec.subcommands().keySet().stream().collect(Collectors.joining(", "));
      int last = all.lastIndexOf(", ");
      return last < 0 ? all : all.substring(0, last) + " or " + all.substring(last + 2);
    }
  }

  @Command(
      name = "completion",
      description = {
        "Prints a script that completes the commands and options of queue-worker, if it"
            + " is a script or an alias for java -jar queue-worker.jar.",
        "bash: source <(queue-worker completion bash). zsh: the same; it is bash's script and"
            + " enables zsh's bashcompinit. fish is not supported."
      })
  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  private static final class CompletionCommand implements Callable<Integer> {

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
}
