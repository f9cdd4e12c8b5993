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
 * The settings of one worker. Immutable; start from {@link #defaults}.
 *
 * @param database the queue's database
 * @param threads number of handler threads, 1 to 1,000
 * @param topics the topics to claim, a subset of those with a handler; empty for all of them
 * @param leaseDuration how long claims stay valid without a renewal
 * @param leaseRenewInterval the time between two renewals, at most a third of the lease
 * @param pollInterval the longest time between two polls
 * @param prefetchCount the maximum number of unsettled claims, 1 to 10,000
 * @param prefetchBytes the maximum size of payloads and headers that wait in memory for a thread,
 *     in bytes
 * @param maxLostClaims lost claims of one message before it is quarantined
 * @param shutdownTimeout how long a stop waits for running handlers
 * @param bodyFolder the folder of payloads that producers store in files; null if the worker reads
 *     none
 * @param unreadableTimeout how long an unreadable message is released for other workers before it
 *     is dead-lettered
 * @param handlers defaults for bindings
 * @param limits the maximum size of payload and headers
 * @param claims how it claims and divides its capacity among topics
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

  /** Validates each setting and their combination. */
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
          ("lease-renew-interval (%s) must be at most a third of lease-duration (%s),"
                  + " so that two renewals may fail")
              .formatted(Humanize.duration(leaseRenewInterval), Humanize.duration(leaseDuration)));
    }
    if (prefetchBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "prefetch-bytes must be at least 1048576 (1 MiB), not " + prefetchBytes);
    }
    if (shutdownTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "shutdown-timeout must not be negative, not " + Humanize.duration(shutdownTimeout));
    }
  }

  /**
   * 16 threads; a lease of 15 s, renewed every 5 s; a poll at least once a second; at most 2,000
   * unsettled claims and 24 MiB of them; 3 lost claims; a shutdown timeout of 30 s; an hour for
   * unreadable messages.
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
   * The number of lost claims from which a message is processed alone. Earlier, messages of a dead
   * worker are retried like any other; on the last attempt before quarantine, a message that kills
   * its worker must not cost other messages a claim.
   */
  public int aloneFrom() {
    return Math.max(1, maxLostClaims - 1);
  }

  /** Returns a copy with this number of handler threads. */
  public WorkerConfig withThreads(int value) {
    return with(draft -> draft.threads = value);
  }

  /** Returns a copy with these topics; empty for all with a handler. */
  public WorkerConfig withTopics(Set<Topic> value) {
    return with(draft -> draft.topics = value);
  }

  /** Returns a copy with this lease, renewed every third of it. */
  public WorkerConfig withLeaseDuration(Duration value) {
    return with(
        draft -> {
          draft.leaseDuration = value;
          draft.leaseRenewInterval = value.dividedBy(3);
        });
  }

  /** Returns a copy with this longest time between two polls. */
  public WorkerConfig withPollInterval(Duration value) {
    return with(draft -> draft.pollInterval = value);
  }

  /** Returns a copy with this maximum number of unsettled claims. */
  public WorkerConfig withPrefetchCount(int value) {
    return with(draft -> draft.prefetchCount = value);
  }

  /** Returns a copy with this number of lost claims before quarantine. */
  public WorkerConfig withMaxLostClaims(int value) {
    return with(draft -> draft.maxLostClaims = value);
  }

  /** Returns a copy with this wait for running handlers. */
  public WorkerConfig withShutdownTimeout(Duration value) {
    return with(draft -> draft.shutdownTimeout = value);
  }

  /** Returns a copy with this time before unreadable messages are dead-lettered. */
  public WorkerConfig withUnreadableTimeout(Duration value) {
    return with(draft -> draft.unreadableTimeout = value);
  }

  /**
   * Returns a copy that also reads payloads that producers store in files of {@code folder}, and
   * deletes those whose messages are gone.
   */
  public WorkerConfig withBodyFolder(Path folder) {
    return with(draft -> draft.bodyFolder = folder);
  }

  /** Returns a copy with these defaults for bindings. */
  public WorkerConfig withHandlers(HandlerDefaults value) {
    return with(draft -> draft.handlers = value);
  }

  /** Returns a copy with these maximum sizes. */
  public WorkerConfig withLimits(MessageLimits value) {
    return with(draft -> draft.limits = value);
  }

  /** Returns a copy with these claim settings. */
  public WorkerConfig withClaims(ClaimConfig value) {
    return with(draft -> draft.claims = value);
  }

  /** Returns a copy with this maximum size of waiting claims. */
  public WorkerConfig withPrefetchBytes(long value) {
    return with(draft -> draft.prefetchBytes = value);
  }

  /** Returns a copy with this time between two renewals. */
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

  /** A mutable copy, so that each {@code with} method names only the setting it changes. */
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
