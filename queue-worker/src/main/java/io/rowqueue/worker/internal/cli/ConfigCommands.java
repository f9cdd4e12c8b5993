package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import io.rowqueue.worker.internal.cli.CommonOptions.LogOutput;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import io.rowqueue.worker.internal.cli.Converters.RateText;
import io.rowqueue.worker.internal.cli.Converters.SizeText;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

@Command(name = "config", description = "Checks the configuration.")
final class ConfigCommands extends CommandGroup {
  private static final String HIDDEN = "(hidden)";
  private static final String NONE = "-";

  ConfigCommands(CommandIo io) {
    super(io, "check");
  }

  @Command(
      description = {
        "Checks the options, the environment and the --config file together, as `run` would, and"
            + " prints the resulting settings and their origins.",
        "With --handlers, also loads the plug-ins and checks their bindings, as far as possible"
            + " without creating a handler. Never connects to a database. Exits 0, or 2 if `run`"
            + " would refuse any of it."
      })
  int check(@Mixin WorkerOptions worker, @Mixin LimitOptions limits, @Mixin AdminOptions admin) {
    warnOfVariables();
    WorkerConfig config = worker.config(database(), limits.limits());
    admin.shown(config.database(), io().secrets());
    Path handlers = worker.handlers();
    String checked =
        handlers == null
            ? "no handlers are named, so no plug-in was checked; `run` needs --handlers"
            : plugins(config, handlers);
    CommandSpec command =
        Objects.requireNonNull(spec().subcommands().get("check")).getCommandSpec();
    Settings settings = (Settings) command.defaultValueProvider();
    String table = table(command, settings, config);
    show(io().secrets().hide(table) + "\n\n" + checked);
    return ExitCodes.OK;
  }

  private static String plugins(WorkerConfig config, Path directory) {
    try (Plugins plugins = Plugins.load(directory)) {
      return "%s; handled topics: %s"
          .formatted(
              TextTable.plural(plugins.jars().size(), "plug-in"),
              GuiceWorkers.check(config, plugins).stream().collect(Collectors.joining(", ")));
    }
  }

  /** No error: others, such as Kubernetes for a service of that name, may have set it. */
  private void warnOfVariables() {
    Set<String> known =
        CommandTree.keys(spec().root().commandLine()).stream()
            .map(Settings::variable)
            .collect(Collectors.toCollection(TreeSet::new));
    known.add(Settings.variable(Settings.CONFIG));
    for (String name : new TreeSet<>(io().environment().keySet())) {
      if (name.startsWith("ROWQUEUE_") && !known.contains(name)) {
        ErrorReport.print(
            io(),
            "the variable %s is not a setting and has no effect; nearest: %s"
                .formatted(name, String.join(", ", NearestNames.of(name, known))));
      }
    }
  }

  private static String table(CommandSpec command, Settings settings, WorkerConfig config) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SETTING", "VALUE", "FROM"));
    for (OptionSpec option : command.options()) {
      String key = Settings.key(option);
      if (key != null && !(option.hidden() && settings.rank(key) == 0)) {
        String from =
            settings.rank(key) == Settings.ON_COMMAND_LINE
                ? "flag " + option.longestName()
                : settings.origin(option).orElse("default");
        rows.add(List.of(key, TextTable.printable(value(key, option.getValue(), config)), from));
      }
    }
    return TextTable.aligned(rows);
  }

  private static String value(String key, @Nullable Object value, WorkerConfig config) {
    return switch (key) {
      case "url" -> config.database().location();
      case "user" -> config.database().user().isEmpty() ? NONE : config.database().user();
      case "password" -> config.database().password().isEmpty() ? NONE : HIDDEN;
      case "claim-topics" -> topics(config);
      case "lease-renew-interval" -> DurationText.of(config.leaseRenewInterval());
      case "claim-strategy" ->
          value instanceof Kind strategy ? strategy.label() : "the server's best";
      case "log-level" -> value == null ? LogOutput.Level.INFO.name() : value.toString();
      case "log-format" -> value == null ? LogOutput.Format.TEXT.toString() : value.toString();
      default -> text(value);
    };
  }

  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.isEmpty()
          ? NONE
          : map.entrySet().stream()
              .map(each -> each.getKey() + "=" + text(each.getValue()))
              .sorted()
              .collect(Collectors.joining(","));
    }
    if (value instanceof Duration duration) {
      return DurationText.of(duration);
    }
    if (value instanceof Rate rate) {
      return RateText.of(rate);
    }
    return value == null
        ? NONE
        : value instanceof Long bytes ? SizeText.of(bytes) : value.toString();
  }

  private static String topics(WorkerConfig config) {
    return config.topics().isEmpty()
        ? "all with a handler"
        : TopicNames.join(config.topics().stream().map(Topic::name).sorted().toList());
  }
}
