package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
      made.onDrainRequested(() -> signals.ask("workers drain"));
      if (once) {
        runOnce(made, config, log);
        return;
      }
      made.start();
      log.info(
          "running on {} with {}; SIGTERM drains up to {}",
          io().secrets().hide(config.database().location()),
          Humanize.count(config.threads(), "thread"),
          Humanize.duration(config.shutdownTimeout()));
      drainWhenAsked(made, config, log);
    }
    log.info("stopped");
  }

  private void runOnce(Worker made, WorkerConfig config, Logger log) {
    Thread drain =
        new Thread(
            () -> {
              try {
                drainWhenAsked(made, config, log);
              } catch (InterruptedException e) {
                log.trace("the run has ended by itself", e);
              }
            },
            "queue-once-drain");
    drain.setDaemon(true);
    drain.start();
    try {
      log.info(
          "{}, and {}",
          Humanize.count(made.runOnce(), "handling"),
          signals.isAsked() ? "stopped" : "nothing is left that is available");
    } finally {
      drain.interrupt();
    }
  }

  private void drainWhenAsked(Worker made, WorkerConfig config, Logger log)
      throws InterruptedException {
    log.info("{} received; a second signal stops at once", signals.await());
    made.drain(config.shutdownTimeout());
  }

  @FunctionalInterface
  interface Launcher {

    Worker launch(WorkerConfig config, AdminOptions.Shown shown, Plugins plugins);
  }

  /**
   * SIGTERM and SIGINT: the first asks for a stop, the second ends the process. Thread-safe.
   *
   * <p>A shutdown hook would see no second signal and could not decide the exit code, so the JDK's
   * own {@code sun.misc.Signal} is used, by reflection because compilers rightly warn about it.
   * Where it is missing (a trimmed runtime) or taken ({@code java -Xrs}), a hook drains instead.
   */
  static final class StopSignals {

    private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicReference<String> first = new AtomicReference<>();
    private final IntConsumer end;

    StopSignals() {
      this(code -> Runtime.getRuntime().halt(code));
    }

    /** With another way to end the process, for tests. */
    StopSignals(IntConsumer end) {
      this.end = end;
    }

    /** From now on the signals arrive here. */
    void listen() {
      try {
        NUMBERS.keySet().forEach(this::listenTo);
      } catch (UnsupportedOperationException e) {
        LoggerFactory.getLogger(StopSignals.class)
            .warn(
                "this Java passes no signals on ({}); a second one will not be seen", e.toString());
        Runtime.getRuntime().addShutdownHook(new Thread(this::drainInHook, "queue-stop"));
      }
    }

    /** Waits for the first reason to stop; returns it, such as SIGTERM. */
    String await() throws InterruptedException {
      requested.await();
      return Objects.requireNonNull(first.get());
    }

    /** Returns whether there is a reason to stop. */
    boolean isAsked() {
      return first.get() != null;
    }

    /** The worker is down; a shutdown hook that waits for it may go on. */
    void finished() {
      finished.countDown();
    }

    void received(String name) {
      if (!ask("SIG" + name)) {
        end.accept(ExitCodes.SIGNALLED + NUMBERS.getOrDefault(name, 15));
      }
    }

    /** Asks for a stop as the first signal does; false if that was requested before. */
    boolean ask(String why) {
      boolean mine = first.compareAndSet(null, why);
      requested.countDown();
      return mine;
    }

    private void listenTo(String name) {
      try {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        InvocationHandler onSignal =
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "handle" -> {
                    received(name);
                    yield null;
                  }
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> "StopSignals of " + name;
                };
        Object proxy =
            Proxy.newProxyInstance(
                StopSignals.class.getClassLoader(), new Class<?>[] {handler}, onSignal);
        signal
            .getMethod("handle", signal, handler)
            .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      } catch (ReflectiveOperationException e) {
        throw new UnsupportedOperationException("SIG" + name + " cannot be listened to", e);
      }
    }

    /** The JVM ends when its hooks have; this one holds it until the worker is down. */
    private void drainInHook() {
      received("TERM");
      try {
        if (finished.await(1, TimeUnit.DAYS)) {
          end.accept(ExitCodes.OK);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
