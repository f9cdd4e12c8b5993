package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Converters.SizeText;
import io.rowqueue.worker.internal.cli.Settings.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The settings of a worker; whatever is not given stays as {@link WorkerConfig} has it. */
@Setting
final class WorkerOptions {

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Number of handler threads, 1 to 1000 (default: 16).")
  private Integer threads = 16;

  @Option(
      names = "--claim-topics",
      paramLabel = "TOPIC",
      description =
          "Topics to claim, separated by commas (default: all with a handler). Escape a"
              + " comma or backslash in a name with a backslash.")
  private List<String> topics = List.of();

  @Option(
      names = "--lease-duration",
      paramLabel = "DURATION",
      description =
          "Lease duration: messages of a worker that stops renewing its lease are released"
              + " after it (default: 15s).")
  private Duration leaseDuration = Duration.ofSeconds(15);

  @Option(
      names = "--lease-renew-interval",
      paramLabel = "DURATION",
      description = "Interval between lease renewals (default: a third of the lease, 5s).")
  private @Nullable Duration leaseRenewInterval;

  @Option(
      names = "--poll-interval",
      paramLabel = "DURATION",
      description = "Maximum interval between polls for messages (default: 1s).")
  private Duration pollInterval = Duration.ofSeconds(1);

  @Option(
      names = "--prefetch-count",
      paramLabel = "N",
      description =
          "Maximum number of messages in flight, waiting in memory or being handled; 1 to 10000"
              + " (default: 2000).")
  private int prefetchCount = 2_000;

  @Option(
      names = "--prefetch-bytes",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description =
          "Maximum bytes of claimed messages that wait in memory, at least 1m (default:" + " 24m).")
  private Long prefetchBytes = 24L << 20;

  @Option(
      names = "--max-lost-claims",
      paramLabel = "N",
      description =
          "Number of lost claims (the worker died) after which a message is dead-lettered"
              + " (default: 3).")
  private int maxLostClaims = 3;

  @Option(
      names = "--shutdown-timeout",
      paramLabel = "DURATION",
      description = "Maximum time that a stop waits for running handlers (default: 30s).")
  private Duration shutdownTimeout = Duration.ofSeconds(30);

  @Option(
      names = "--unreadable-timeout",
      paramLabel = "DURATION",
      description =
          "Time after which a message that this worker cannot read (newer version, unknown"
              + " key or wrapper) is dead-lettered; until then it is released (default: 1h).")
  private Duration unreadableTimeout = Duration.ofHours(1);

  @Option(
      names = "--body-dir",
      paramLabel = "DIR",
      description =
          "Directory of payloads that producers store in files, shared by all hosts"
              + " (default: none; payloads are in the database).")
  private @Nullable Path bodyFolder;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description =
          "Number of failed attempts after which a message is dead-lettered, unless the"
              + " handler's binding sets it (default: 35).")
  private int maxAttempts = HandlerDefaults.MAX_ATTEMPTS;

  @Option(
      names = "--handler-timeout",
      paramLabel = "DURATION",
      description =
          "Maximum duration of one handler call, unless the handler's binding sets it"
              + " (default: 5m).")
  private Duration handlerTimeout = Duration.ofMinutes(5);

  @Option(
      names = "--claim-strategy",
      paramLabel = "NAME",
      hidden = true,
      converter = EnumConverter.Strategies.class,
      completionCandidates = EnumConverter.Strategies.class,
      description =
          "How messages are claimed: ${COMPLETION-CANDIDATES} (default: skip-locked if the server"
              + " supports it, else update-limit).")
  private @Nullable Kind strategy;

  @Option(
      names = "--cursor",
      paramLabel = "true|false",
      arity = "1",
      hidden = true,
      description =
          "Start each claim after the last claimed row, or, if false, at the first one (default:"
              + " true).")
  private boolean cursor = true;

  @Option(
      names = "--topic-weight",
      paramLabel = "TOPIC=N",
      split = ",",
      description =
          "Relative share of the threads per topic, 1 to 1000, e.g. orders=3,emails=1"
              + " (default: 1 each).")
  private Map<String, Integer> weights = Map.of();

  @Option(
      names = "--worker-rate-limit",
      paramLabel = "TOPIC=N/s",
      split = ",",
      description =
          "Maximum number of messages that this worker claims of a topic per s, m or h,"
              + " e.g. emails=100/s,reports=5/m (default: no limit).")
  private Map<String, Rate> rates = Map.of();

  @Option(
      names = "--handlers",
      paramLabel = "DIR",
      description = "Directory with the handler jars. Required by run.")
  private @Nullable Path handlers;

  /** Where the plug-ins are; null if that is not given. */
  @Nullable Path handlers() {
    return handlers;
  }

  WorkerConfig config(DatabaseConfig database, MessageLimits limits) {
    if (bodyFolder != null && !Files.isDirectory(bodyFolder)) {
      throw CommandFailure.usage(
          "--body-dir: %s is not a directory; create or mount it".formatted(bodyFolder));
    }
    return CommandFailure.usage(
        () -> {
          WorkerConfig config =
              WorkerConfig.defaults(database)
                  .withLimits(limits)
                  .withThreads(threads)
                  .withTopics(topics())
                  .withLeaseDuration(leaseDuration)
                  .withPollInterval(pollInterval)
                  .withPrefetchCount(prefetchCount)
                  .withPrefetchBytes(prefetchBytes)
                  .withMaxLostClaims(maxLostClaims)
                  .withShutdownTimeout(shutdownTimeout)
                  .withUnreadableTimeout(unreadableTimeout);
          config =
              leaseRenewInterval == null
                  ? config
                  : config.withLeaseRenewInterval(leaseRenewInterval);
          config = bodyFolder == null ? config : config.withBodyFolder(bodyFolder);
          return config
              .withHandlers(
                  config.handlers().withMaxAttempts(maxAttempts).withTimeout(handlerTimeout))
              .withClaims(claims());
        });
  }

  private ClaimConfig claims() {
    ClaimSettings settings = ClaimSettings.defaults().withCursor(cursor);
    ClaimConfig claims =
        ClaimConfig.defaults()
            .withSettings(strategy == null ? settings : settings.withStrategy(strategy));
    for (Map.Entry<String, Integer> weight : weights.entrySet()) {
      claims = claims.withWeight(topic("--topic-weight", weight.getKey()), weight.getValue());
    }
    for (Map.Entry<String, Rate> rate : rates.entrySet()) {
      claims = claims.withRate(topic("--worker-rate-limit", rate.getKey()), rate.getValue());
    }
    return claims;
  }

  private Set<Topic> topics() {
    return topics.stream()
        .flatMap(text -> TopicNames.split(text).stream())
        .map(name -> topic("--claim-topics", name))
        .collect(Collectors.toSet());
  }

  private static Topic topic(String option, String name) {
    try {
      return new Topic(name.strip());
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(option + ": " + e.getMessage());
    }
  }
}
