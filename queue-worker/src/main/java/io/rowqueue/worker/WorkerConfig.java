package io.rowqueue.worker;

import io.rowqueue.MessageLimits;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.text.Humanize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one worker. Immutable; start from {@link #defaults} and change what differs.
 *
 * @param database where the queue is
 * @param threads how many messages are handled at once, 1 to 1,000
 * @param topics the topics to claim, a subset of those with a handler; empty means all of them
 * @param leaseDuration how long the worker's claims stay its own without a renewal
 * @param leaseRenewInterval the time between two renewals, at most a third of the lease
 * @param pollInterval the longest wait between two looks for messages
 * @param prefetchCount the most messages that are claimed and not yet settled, 1 to 10,000
 * @param prefetchBytes the most bytes of payloads and headers that wait in memory for a thread
 * @param maxLostClaims claims of one message that may die with their workers before it is
 *     quarantined
 * @param shutdownTimeout how long a stop waits for running handlers
 * @param bodyFolder where payloads lie that producers put into files; null: it reads none
 * @param unreadableTimeout how long it gives back what it cannot read before it sets it aside
 * @param handlers what holds for bindings that do not say otherwise
 * @param limits the largest payload and headers that are handled
 * @param claims how it claims, and how it divides itself among topics
 */
public record WorkerConfig(
    DatabaseConfig database,
    int threads,
    Set<Topic> topics,
    Duration leaseDuration,
    Duration leaseRenewInterval,
    Duration pollInterval,
    int prefetchCount,
    long prefetchBytes,
    int maxLostClaims,
    Duration shutdownTimeout,
    Duration unreadableTimeout,
    @Nullable Path bodyFolder,
    HandlerDefaults handlers,
    MessageLimits limits,
    ClaimConfig claims) {

  /** Checks each setting and how they go together. */
  public WorkerConfig {
    topics = Set.copyOf(topics);
    between("threads", threads, 1, 1_000);
    between("prefetch-count", prefetchCount, 1, 10_000);
    between("max-lost-claims", maxLostClaims, 1, 1_000);
    positive("lease-duration", leaseDuration);
    positive("lease-renew-interval", leaseRenewInterval);
    positive("poll-interval", pollInterval);
    positive("unreadable-timeout", unreadableTimeout);
    if (leaseRenewInterval.multipliedBy(3).compareTo(leaseDuration) > 0) {
      throw new IllegalArgumentException(
          "renew-every (%s) must be at most a third of lease (%s), so that two renewals may fail"
              .formatted(Humanize.duration(leaseRenewInterval), Humanize.duration(leaseDuration)));
    }
    if (prefetchBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "claimed-bytes must be at least 1048576 (1 MiB), not " + prefetchBytes);
    }
    if (shutdownTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "drain must not be negative, not " + Humanize.duration(shutdownTimeout));
    }
  }

  /**
   * 16 threads; a lease of 15 s renewed every 5 s; a look for messages at least once a second; at
   * most 2,000 claims and 24 MiB of them; 3 lost claims; 30 s to drain; an hour for what cannot be
   * read.
   */
  public static WorkerConfig defaults(DatabaseConfig database) {
    return new WorkerConfig(
        database,
        16,
        Set.of(),
        Duration.ofSeconds(15),
        Duration.ofSeconds(5),
        Duration.ofSeconds(1),
        2_000,
        24L << 20,
        3,
        Duration.ofSeconds(30),
        Duration.ofHours(1),
        null,
        HandlerDefaults.defaults(),
        MessageLimits.defaults(),
        ClaimConfig.defaults());
  }

  /**
   * From how many lost claims on a worker handles one message at a time. Before that, whatever a
   * dead worker held comes back as quickly as any other message; at the last chance before
   * quarantine no neighbour may be beside the one that kills.
   */
  public int aloneFrom() {
    return Math.max(1, maxLostClaims - 1);
  }

  /** How many messages are handled at once. */
  public WorkerConfig withThreads(int value) {
    return with(draft -> draft.threads = value);
  }

  /** Which topics to claim; empty means all with a handler. */
  public WorkerConfig withTopics(Set<Topic> value) {
    return with(draft -> draft.topics = value);
  }

  /** How long claims stay the worker's without a renewal; renews every third of it. */
  public WorkerConfig withLeaseDuration(Duration value) {
    return with(
        draft -> {
          draft.leaseDuration = value;
          draft.leaseRenewInterval = value.dividedBy(3);
        });
  }

  /** The longest wait between two looks for messages. */
  public WorkerConfig withPollInterval(Duration value) {
    return with(draft -> draft.pollInterval = value);
  }

  /** The most messages claimed and not settled. */
  public WorkerConfig withPrefetchCount(int value) {
    return with(draft -> draft.prefetchCount = value);
  }

  /** Lost claims until quarantine. */
  public WorkerConfig withMaxLostClaims(int value) {
    return with(draft -> draft.maxLostClaims = value);
  }

  /** How long a stop waits for running handlers. */
  public WorkerConfig withShutdownTimeout(Duration value) {
    return with(draft -> draft.shutdownTimeout = value);
  }

  /** How long what cannot be read is given back. */
  public WorkerConfig withUnreadableTimeout(Duration value) {
    return with(draft -> draft.unreadableTimeout = value);
  }

  /**
   * The same, but it also reads payloads that producers put into files of {@code folder}, and
   * deletes those whose messages are gone.
   */
  public WorkerConfig withBodyFolder(Path folder) {
    return with(draft -> draft.bodyFolder = folder);
  }

  /** What holds for bindings that do not say otherwise. */
  public WorkerConfig withHandlers(HandlerDefaults value) {
    return with(draft -> draft.handlers = value);
  }

  /** The largest payload and headers that are handled. */
  public WorkerConfig withLimits(MessageLimits value) {
    return with(draft -> draft.limits = value);
  }

  /** How to claim, and how to divide the worker among topics. */
  public WorkerConfig withClaims(ClaimConfig value) {
    return with(draft -> draft.claims = value);
  }

  /** The most bytes that wait in memory. */
  public WorkerConfig withPrefetchBytes(long value) {
    return with(draft -> draft.prefetchBytes = value);
  }

  /** The time between two renewals of the lease. */
  public WorkerConfig withLeaseRenewInterval(Duration value) {
    return with(draft -> draft.leaseRenewInterval = value);
  }

  private WorkerConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finished();
  }

  private static void between(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must lie between %d and %d, not %d".formatted(name, least, most, value));
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(
          name + " must be positive, not " + Humanize.duration(value));
    }
  }

  /** A copy that can be changed, so that a change names what it changes and nothing else. */
  private static final class Draft {

    private final DatabaseConfig database;
    private int threads;
    private Set<Topic> topics;
    private Duration leaseDuration;
    private Duration leaseRenewInterval;
    private Duration pollInterval;
    private int prefetchCount;
    private long prefetchBytes;
    private int maxLostClaims;
    private Duration shutdownTimeout;
    private Duration unreadableTimeout;
    private @Nullable Path bodyFolder;
    private HandlerDefaults handlers;
    private MessageLimits limits;
    private ClaimConfig claims;

    Draft(WorkerConfig from) {
      database = from.database;
      threads = from.threads;
      topics = from.topics;
      leaseDuration = from.leaseDuration;
      leaseRenewInterval = from.leaseRenewInterval;
      pollInterval = from.pollInterval;
      prefetchCount = from.prefetchCount;
      prefetchBytes = from.prefetchBytes;
      maxLostClaims = from.maxLostClaims;
      shutdownTimeout = from.shutdownTimeout;
      unreadableTimeout = from.unreadableTimeout;
      bodyFolder = from.bodyFolder;
      handlers = from.handlers;
      limits = from.limits;
      claims = from.claims;
    }

    WorkerConfig finished() {
      return new WorkerConfig(
          database,
          threads,
          topics,
          leaseDuration,
          leaseRenewInterval,
          pollInterval,
          prefetchCount,
          prefetchBytes,
          maxLostClaims,
          shutdownTimeout,
          unreadableTimeout,
          bodyFolder,
          handlers,
          limits,
          claims);
    }
  }
}
