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
import io.rowqueue.worker.WorkerConfig;
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
final class WorkerOptions {

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many messages are handled at once (default: 16).")
  private @Nullable Integer threads;

  @Option(
      names = "--topics",
      paramLabel = "TOPIC",
      description =
          "The topics to claim, with commas between them (default: all with a handler). A comma or"
              + " a backslash of a topic's own takes a backslash before it.")
  private @Nullable List<String> topics;

  @Option(
      names = "--lease-duration",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "How long claims stay this worker's without a renewal; a dead worker's come back after"
              + " it (default: 15s).")
  private @Nullable Duration leaseDuration;

  @Option(
      names = "--lease-renew-interval",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "The time between two renewals (default: a third of the lease, 5s).")
  private @Nullable Duration leaseRenewInterval;

  @Option(
      names = "--poll-interval",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "The longest wait between two looks for messages (default: 1s).")
  private @Nullable Duration pollInterval;

  @Option(
      names = "--prefetch-count",
      paramLabel = "N",
      description = "The most messages claimed and not yet settled (default: 2000).")
  private @Nullable Integer prefetchCount;

  @Option(
      names = "--prefetch-bytes",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description = "The most bytes of messages that wait in memory (default: 24m).")
  private @Nullable Long prefetchBytes;

  @Option(
      names = "--max-lost-claims",
      paramLabel = "N",
      description =
          "How many claims of a message may die with their worker before it becomes a dead letter"
              + " (default: 3).")
  private @Nullable Integer maxLostClaims;

  @Option(
      names = "--shutdown-timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long a stop waits for running handlers (default: 30s).")
  private @Nullable Duration shutdownTimeout;

  @Option(
      names = "--unreadable-timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "How long a message that this worker cannot read yet (a newer version, a key or wrapper"
              + " that it lacks) is given back before it becomes a dead letter (default: 1h).")
  private @Nullable Duration unreadableTimeout;

  @Option(
      names = "--body-dir",
      paramLabel = "DIR",
      description =
          "Where payloads lie that producers put into files (FileBodyStore), the same on all hosts"
              + " (default: none; payloads lie in the database).")
  private @Nullable Path bodyFolder;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description =
          "Failed attempts until a dead letter, where the binding does not say (default: 10).")
  private @Nullable Integer maxAttempts;

  @Option(
      names = "--handler-timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "The longest that one handling may take, where the binding does not say (default: 5m).")
  private @Nullable Duration handlerTimeout;

  @Option(
      names = "--claim-strategy",
      paramLabel = "NAME",
      converter = StrategyText.class,
      description =
          "How messages are claimed: skip-locked, update-limit, optimistic or last-insert-id"
              + " (default: skip-locked where the server has it, or else update-limit).")
  private @Nullable Kind strategy;

  @Option(
      names = "--cursor",
      paramLabel = "true|false",
      arity = "1",
      description =
          "Whether a claim begins where the last one ended; false is for comparison (default:"
              + " true).")
  private @Nullable Boolean cursor;

  @Option(
      names = "--topic-weight",
      paramLabel = "TOPIC=N",
      split = ",",
      description =
          "How much of the worker a topic gets while others want it too, with commas between topics"
              + " (default: 1 for each).")
  private @Nullable Map<String, Integer> weights;

  @Option(
      names = "--worker-rate-limit",
      paramLabel = "TOPIC=N/s",
      split = ",",
      description =
          "The most that this worker claims of a topic per s, m or h, with commas between topics"
              + " (default: no limit).")
  private @Nullable Map<String, String> rates;

  /** These settings for a worker on {@code database}. */
  WorkerConfig config(DatabaseConfig database, MessageLimits limits) {
    WorkerConfig config = WorkerConfig.defaults(database).withLimits(limits);
    config = Changed.by(config, threads, WorkerConfig::withThreads);
    config = Changed.by(config, leaseDuration, WorkerConfig::withLeaseDuration);
    config = Changed.by(config, leaseRenewInterval, WorkerConfig::withLeaseRenewInterval);
    config = Changed.by(config, pollInterval, WorkerConfig::withPollInterval);
    config = Changed.by(config, prefetchCount, WorkerConfig::withPrefetchCount);
    config = Changed.by(config, prefetchBytes, WorkerConfig::withPrefetchBytes);
    config = Changed.by(config, maxLostClaims, WorkerConfig::withMaxLostClaims);
    config = Changed.by(config, shutdownTimeout, WorkerConfig::withShutdownTimeout);
    config = Changed.by(config, unreadableTimeout, WorkerConfig::withUnreadableTimeout);
    if (bodyFolder != null && !Files.isDirectory(bodyFolder)) {
      throw CommandFailure.usage(
          "--body-dir: %s is no folder; make it, or mount what belongs there"
              .formatted(bodyFolder));
    }
    config = Changed.by(config, bodyFolder, WorkerConfig::withBodyFolder);
    config = config.withHandlers(handlers(config.handlers()));
    config = config.withClaims(claims(config.claims()));
    return topics == null ? config : withTopics(config, topics);
  }

  private ClaimConfig claims(ClaimConfig defaults) {
    ClaimSettings settings = Changed.by(defaults.settings(), strategy, ClaimSettings::withStrategy);
    ClaimConfig claims =
        defaults.withSettings(Changed.by(settings, cursor, ClaimSettings::withCursor));
    for (Map.Entry<String, Integer> weight : entries(weights)) {
      Topic topic = topic("--topic-weight", weight.getKey());
      claims = Changed.by(claims, weight.getValue(), (all, one) -> all.withWeight(topic, one));
    }
    for (Map.Entry<String, String> rate : entries(rates)) {
      claims =
          claims.withRate(
              topic("--worker-rate-limit", rate.getKey()), RateText.parse(rate.getValue()));
    }
    return claims;
  }

  private static <V> Set<Map.Entry<String, V>> entries(@Nullable Map<String, V> given) {
    return given == null ? Set.of() : given.entrySet();
  }

  private static Topic topic(String option, String name) {
    try {
      return new Topic(name.strip());
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(option + ": " + e.getMessage());
    }
  }

  private HandlerDefaults handlers(HandlerDefaults defaults) {
    HandlerDefaults handlers = Changed.by(defaults, maxAttempts, HandlerDefaults::withMaxAttempts);
    return Changed.by(handlers, handlerTimeout, HandlerDefaults::withTimeout);
  }

  private static WorkerConfig withTopics(WorkerConfig config, List<String> names) {
    return config.withTopics(
        names.stream()
            .flatMap(text -> TopicNames.split(text).stream())
            .map(name -> topic("--topics", name.strip()))
            .collect(Collectors.toSet()));
  }
}
