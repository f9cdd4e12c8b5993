package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks what {@code run} would be given, without a database. */
@Command(
    name = "check",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker config check [--handlers DIR] [OPTIONS]",
    description = {
      "Checks the options, the environment and the --config file together as `run` would, and"
          + " prints the settings that come of them and where each is from.",
      "With --handlers, it also loads the plug-ins and sets their handlers up as far as that goes"
          + " without making one. It never connects to a database. Exits 0, or 2 if `run` would"
          + " refuse any of it."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ConfigCheckCommand extends QueueCommand implements Callable<Integer> {

  @Spec private CommandSpec command;

  @Mixin private final WorkerOptions worker = new WorkerOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = "--handlers",
      paramLabel = "DIR",
      description = "The directory with the handler jars (default: no plug-in is checked).")
  private @Nullable Path handlers;

  ConfigCheckCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    warnOfVariables();
    WorkerConfig config = worker.config(database(), limits.limits());
    admin.shown(config.database(), io().secrets());
    String checked =
        handlers == null
            ? "no handlers are named, so no plug-in was checked; `run` needs --handlers"
            : plugins(config, handlers);
    Settings settings = (Settings) command.defaultValueProvider();
    String table = EffectiveSettings.table(command, settings, config);
    io().show(io().secrets().hide(table) + "\n\n" + checked);
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
        CommandTree.keys(command.root().commandLine()).stream()
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
