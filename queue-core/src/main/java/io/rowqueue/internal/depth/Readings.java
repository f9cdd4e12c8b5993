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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches which topics are full. Reads at most once per second for all threads of the process, over
 * a connection of its own. If no worker takes samples, this process takes them, provided that its
 * account has the privileges. Thread-safe.
 */
public final class Readings {

  private static final Logger LOG = LoggerFactory.getLogger(Readings.class);

  private static final long BELIEVED_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long a caller waits for another's first read, which may hang; then nothing is rejected. */
  private static final long FIRST_NANOS = Duration.ofSeconds(2).toNanos();

  private static final long SAID_NANOS = Duration.ofMinutes(1).toNanos();

  private final DataSource dataSource;
  private final ReentrantLock reading = new ReentrantLock();
  private final Map<String, Long> saidNanos = new ConcurrentHashMap<>();
  private volatile @Nullable Reading last;

  /** Guarded by {@link #reading}. */
  private @Nullable Transactions transactions;

  /** Guarded by {@link #reading}. */
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
    if (known != null && known.isFresh()) {
      return known;
    }
    if (!reading.tryLock() && (known != null || !firstReadEnds())) {
      // Another thread is reading, and the last result is not much older.
      return known == null ? new Reading(Map.of(), System.nanoTime()) : known;
    }
    try {
      Reading meanwhile = last;
      if (meanwhile != null && meanwhile.isFresh()) {
        return meanwhile;
      }
      Reading found = new Reading(read(), System.nanoTime());
      last = found;
      return found;
    } finally {
      reading.unlock();
    }
  }

  private boolean firstReadEnds() {
    try {
      return reading.tryLock(FIRST_NANOS, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** A failed read rejects no messages: back-pressure must not cause an outage of its own. */
  private Map<String, SampledTopic> read() {
    try {
      Transactions reached = transactions;
      if (reached == null) {
        reached = Transactions.ofProducer(dataSource);
        transactions = reached;
      }
      Map<String, SampledTopic> found = JooqDepthSamples.read(reached);
      return sampleStale(reached, found) ? JooqDepthSamples.read(reached) : found;
    } catch (QueueException | IllegalStateException e) {
      log(
          "back-pressure limits cannot be read, so no message is rejected: " + FailureText.of(e),
          "");
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

    boolean isFresh() {
      return System.nanoTime() - atNanos < BELIEVED_NANOS;
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
