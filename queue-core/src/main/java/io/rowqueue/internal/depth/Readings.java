package io.rowqueue.internal.depth;

import io.rowqueue.DepthSample;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches which topics are full. Reads at most once per second for all threads of the process, over
 * a connection of its own, and on a thread of its own, because a caller may hold the last
 * connection of the pool. If no worker takes samples, this process takes them, provided that its
 * account has the privileges. Thread-safe.
 */
public final class Readings {

  private static final Logger LOG = LoggerFactory.getLogger(Readings.class);

  private static final long BELIEVED_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long a caller waits for the first read, which may hang; then nothing is rejected. */
  private static final long FIRST_NANOS = Duration.ofSeconds(5).toNanos();

  /** How long a caller waits for a later read; then the last result is used. */
  private static final long LATER_NANOS = Duration.ofMillis(100).toNanos();

  /** An older result rejects nothing. */
  private static final long OUTDATED_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long SAID_NANOS = Duration.ofMinutes(1).toNanos();

  private static final String UNREADABLE =
      "back-pressure limits cannot be read, so no message is rejected: ";

  private final DataSource dataSource;
  private final Map<String, Long> saidNanos = new ConcurrentHashMap<>();
  private volatile @Nullable Reading last;

  /** The last read that was begun. */
  private @Nullable FutureTask<Reading> begun;

  /** Used by one read at a time. */
  private @Nullable Transactions transactions;

  /** Used by one read at a time. */
  private @Nullable Long refusedToSampleNanos;

  public Readings(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The sample of {@code topic}; null if it has no limit, or cannot be read. */
  public @Nullable SampledTopic of(Topic topic) {
    SampledTopic sampled = now().topics.get(topic.name());
    DepthSample sample = sampled == null ? null : sampled.sample();
    if (sample != null && sample.full()) {
      log(
          "topic '%s' is over its back-pressure limit: %d messages waited at %s, the oldest for %d s"
              .formatted(topic, sample.depth(), sample.sampledAt(), sample.oldest().toSeconds()),
          topic.name());
    }
    return sampled;
  }

  /** How long the last read stays valid. */
  public Duration untilNext() {
    Reading known = last;
    return known == null
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, BELIEVED_NANOS - (System.nanoTime() - known.atNanos)));
  }

  private Reading now() {
    Reading known = last;
    if (known != null && known.isYoungerThan(BELIEVED_NANOS)) {
      return known;
    }
    try {
      return begin().get(known == null ? FIRST_NANOS : LATER_NANOS, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | CancellationException e) {
      LOG.debug("the topics' samples are not read yet", e);
    } catch (ExecutionException e) {
      log(UNREADABLE + e.getCause(), "");
    }
    return known != null && known.isYoungerThan(OUTDATED_NANOS)
        ? known
        : new Reading(Map.of(), System.nanoTime());
  }

  /** Begins a read, unless one is under way or has just ended. */
  private synchronized FutureTask<Reading> begin() {
    FutureTask<Reading> before = begun;
    Reading known = last;
    boolean isFresh = known != null && known.isYoungerThan(BELIEVED_NANOS);
    if (before != null && (!before.isDone() || isFresh)) {
      return before;
    }
    FutureTask<Reading> next =
        new FutureTask<>(
            () -> {
              Reading found = new Reading(read(), System.nanoTime());
              last = found;
              return found;
            });
    begun = next;
    Thread thread = new Thread(next, "rowqueue-back-pressure");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (Throwable e) {
      // What is not cancelled would keep later reads from beginning.
      next.cancel(false);
      log(UNREADABLE + FailureText.of(e), "");
    }
    return next;
  }

  /** A failed read rejects no messages: back-pressure must not cause an outage of its own. */
  private Map<String, SampledTopic> read() {
    try {
      Transactions reached = transactions;
      if (reached == null) {
        reached = Transactions.ofProducer(dataSource);
        transactions = reached;
      }
      Map<String, SampledTopic> found = DepthSamples.read(reached);
      return sampleStale(reached, found) ? DepthSamples.read(reached) : found;
    } catch (QueueException | IllegalStateException e) {
      log(UNREADABLE + FailureText.of(e), "");
      return Map.of();
    }
  }

  /** Samples the topics whose samples are stale; returns whether it took any. */
  private boolean sampleStale(Transactions reached, Map<String, SampledTopic> found) {
    Long refused = refusedToSampleNanos;
    if (refused != null && System.nanoTime() - refused < SAID_NANOS) {
      return false;
    }
    boolean sampled = false;
    try {
      for (Map.Entry<String, SampledTopic> topic : found.entrySet()) {
        if (topic.getValue().stale()) {
          sampled |= sample(reached, topic.getKey(), topic.getValue().limit());
        }
      }
    } catch (NoClassDefFoundError e) {
      refusedToSampleNanos = System.nanoTime();
      LOG.warn(
          "no worker samples the depth of topics, and this process cannot without jOOQ ({}), so the"
              + " last samples stay in force",
          FailureText.of(e));
    } catch (QueueException e) {
      refusedToSampleNanos = System.nanoTime();
      LOG.warn(
          "no worker samples the depth of topics, and this account cannot (`queue-worker grants"
              + " producer`), so the last samples stay in force: {}",
          FailureText.of(e));
    }
    return sampled;
  }

  private static boolean sample(Transactions reached, String topic, DepthLimit limit) {
    return DepthSampler.of(reached)
        .sample(new Topic(topic), limit, Collections.emptyNavigableMap());
  }

  /** Logs each message at most once a minute. */
  private void log(String what, String about) {
    long now = System.nanoTime();
    Long before = saidNanos.get(about);
    if (before == null || now - before >= SAID_NANOS) {
      saidNanos.put(about, now);
      LOG.warn("{}", what);
    }
  }

  private record Reading(Map<String, SampledTopic> topics, long atNanos) {

    boolean isYoungerThan(long nanos) {
      return System.nanoTime() - atNanos < nanos;
    }
  }

  /**
   * A topic with a limit, as this process has read it.
   *
   * @param sample its last sample; null if it was never sampled
   * @param stale whether the next sample is overdue, so that no worker seems to take any
   */
  public record SampledTopic(DepthLimit limit, @Nullable DepthSample sample, boolean stale) {

    public boolean isFull() {
      return sample != null && sample.full();
    }
  }
}
