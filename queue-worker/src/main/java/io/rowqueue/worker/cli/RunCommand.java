package io.rowqueue.worker.cli;

import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.Stage;
import io.rowqueue.handle.HandlerDefaults;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.Topic;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.plugin.Plugins;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The daemon. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    showDefaultValues = false,
    description =
        "Claims messages and has the handlers of DIR handle them, until SIGTERM or SIGINT; then it"
            + " stops claiming, lets running handlers finish, releases the rest and exits with 0. A"
            + " second signal stops at once.")
final class RunCommand implements Callable<Integer> {

  @Mixin CommonOptions common = new CommonOptions();

  @Option(
      names = "--handlers",
      paramLabel = "DIR",
      required = true,
      description = "The directory of handler jars.")
  Path handlers = Path.of("handlers");

  @Option(names = "--threads", paramLabel = "N", description = "Messages handled at once; 16.")
  int threads = 16;

  @Option(
      names = "--topics",
      split = ",",
      paramLabel = "TOPIC",
      description = "Only these topics; all that have a handler.")
  List<String> topics = new ArrayList<>();

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description = "Claims live this long without a renewal; 15s.")
  Duration lease = Duration.ofSeconds(15);

  @Option(
      names = "--renew-every",
      paramLabel = "TIME",
      description = "Time between renewals; a third of the lease.")
  Duration renewEvery = Duration.ZERO;

  @Option(
      names = "--poll-every",
      paramLabel = "TIME",
      description = "Longest wait between looks; 1s.")
  Duration pollEvery = Duration.ofSeconds(1);

  @Option(
      names = "--max-claimed",
      paramLabel = "N",
      description = "Most claims not yet settled; 500.")
  int maxClaimed = 500;

  @Option(
      names = "--claimed-bytes",
      paramLabel = "SIZE",
      converter = Texts.Size.class,
      description = "Most bytes of claims waiting in memory; 24m.")
  long claimedBytes = 24L << 20;

  @Option(names = "--max-lost", paramLabel = "N", description = "Lost claims until quarantine; 3.")
  int maxLost = 3;

  @Option(
      names = "--drain",
      paramLabel = "TIME",
      description = "How long a stop waits for handlers; 30s.")
  Duration drain = Duration.ofSeconds(30);

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description = "Failed attempts until a dead letter; 10.")
  int maxAttempts = 10;

  @Option(names = "--handler-timeout", paramLabel = "TIME", description = "Longest handling; 5m.")
  Duration handlerTimeout = Duration.ofMinutes(5);

  @Option(
      names = "--max-payload",
      paramLabel = "SIZE",
      converter = Texts.Size.class,
      description = "Largest payload; 4m.")
  long maxPayload = 4L << 20;

  @Option(
      names = "--max-headers",
      paramLabel = "SIZE",
      converter = Texts.Size.class,
      description = "Largest headers; 16k.")
  long maxHeaders = 16L << 10;

  @Override
  public Integer call() throws InterruptedException {
    WorkerConfig config = config();
    try (Plugins plugins = Plugins.load(handlers)) {
      List<Module> modules = new ArrayList<>(plugins.modules());
      modules.add(new WorkerModule(config));
      Worker worker = Guice.createInjector(Stage.DEVELOPMENT, modules).getInstance(Worker.class);
      StopSignals signals = StopSignals.install();
      worker.start();
      signals.awaitFirst();
      worker.drain(config.drain());
      worker.close();
    }
    return 0;
  }

  private WorkerConfig config() {
    Set<Topic> chosen = topics.stream().map(Topic::new).collect(Collectors.toSet());
    return WorkerConfig.defaults(common.database())
        .withThreads(threads)
        .withTopics(chosen)
        .withLease(lease)
        .withRenewEvery(renewEvery.isZero() ? lease.dividedBy(3) : renewEvery)
        .withPollEvery(pollEvery)
        .withMaxClaimed(maxClaimed)
        .withClaimedBytes(claimedBytes)
        .withMaxLost(maxLost)
        .withDrain(drain)
        .withHandlers(
            HandlerDefaults.defaults().withMaxAttempts(maxAttempts).withTimeout(handlerTimeout))
        .withLimits(new MessageLimits(Math.toIntExact(maxPayload), Math.toIntExact(maxHeaders)));
  }
}
