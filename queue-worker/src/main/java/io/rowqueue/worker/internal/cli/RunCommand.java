package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a worker until a signal stops it. */
@Command(
    name = "run",
    customSynopsis = "queue-worker run --handlers DIR [OPTIONS]",
    description = {
      "Runs a worker with the handlers from the jars of a directory, until it is stopped.",
      "SIGTERM or SIGINT drains it: it claims no more messages, waits up to --shutdown-timeout for"
          + " running handlers, releases the rest without counting an attempt, and exits 0. A"
          + " second signal stops it at once."
    })
final class RunCommand extends QueueCommand implements Callable<Integer> {

  @Mixin private final WorkerOptions worker = new WorkerOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = "--once",
      description = "Handle the messages that are available now, then exit; for cron jobs.")
  private boolean once;

  private final Launcher launcher;
  private final StopSignals signals;

  RunCommand(CommandIo io, Launcher launcher, StopSignals signals) {
    super(io);
    this.launcher = launcher;
    this.signals = signals;
  }

  @Override
  public Integer call() throws InterruptedException {
    Path handlers = worker.handlers();
    if (handlers == null) {
      throw CommandFailure.usage(
          "no handlers are named; give --handlers DIR, set ROWQUEUE_HANDLERS, or write"
              + " handlers=DIR into the --config file");
    }
    WorkerConfig config = worker.config(database(), limits.limits());
    AdminOptions.Shown shown = admin.shown(config.database(), io().secrets());
    signals.listen();
    try (Plugins plugins = Plugins.load(handlers)) {
      run(launcher.launch(config, shown, plugins), config);
    } finally {
      signals.finished();
    }
    return ExitCodes.OK;
  }

  private void run(Worker made, WorkerConfig config) throws InterruptedException {
    Logger log = LoggerFactory.getLogger(RunCommand.class);
    try (made) {
      if (once) {
        log.info(
            "{}, and nothing is left that is available",
            Humanize.count(made.runOnce(), "handling"));
        return;
      }
      made.onDrainRequested(() -> signals.ask("workers drain"));
      made.start();
      log.info(
          "running on {} with {}; SIGTERM drains up to {}",
          io().secrets().hide(config.database().location()),
          Humanize.count(config.threads(), "thread"),
          Humanize.duration(config.shutdownTimeout()));
      log.info("{} received; a second signal stops at once", signals.await());
      made.drain(config.shutdownTimeout());
    }
    log.info("stopped");
  }

  /** Makes a worker that has not started yet. */
  @FunctionalInterface
  interface Launcher {

    /**
     * A worker with these settings and the handlers of these plug-ins.
     *
     * @param shown how it is shown to others
     */
    Worker launch(WorkerConfig config, AdminOptions.Shown shown, Plugins plugins);
  }
}
