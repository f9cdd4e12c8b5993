package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

/** Checks the configuration. */
@Command(name = "config", description = "Checks the configuration.")
final class ConfigCommands extends CommandGroup {

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
    String table = EffectiveSettings.table(command, settings, config);
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
            "the variable %s is no setting and has no effect; nearest: %s"
                .formatted(name, String.join(", ", NearestNames.of(name, known))));
      }
    }
  }
}
