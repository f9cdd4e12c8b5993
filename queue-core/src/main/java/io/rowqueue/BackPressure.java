package io.rowqueue;

import io.rowqueue.internal.depth.HandlingThread;
import io.rowqueue.internal.depth.Readings;
import io.rowqueue.internal.depth.Readings.SampledTopic;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Back-pressure: whether topics are over their limits, according to the workers' last samples.
 * Create one instance per process, and query it, or give it to a producer that rejects or blocks.
 * Topics without a limit are never full, and no topic is while samples cannot be read. Thread-safe.
 *
 * <p>All threads of the process share one read per second, over a connection and on a thread of its
 * own, since the caller may hold the last connection of the pool. A sample is late: with r messages
 * a second from all producers together and a sample every J seconds, a depth may exceed its limit
 * by {@code r * (J + 1)} messages and those in open transactions.
 *
 * <p>Messages that handlers enqueue are not rejected: a full queue that stops its own workers never
 * drains.
 */
public final class BackPressure {

  /** Jitter, so that blocked producers do not all resume at once. */
  private static final long SPREAD_NANOS = Duration.ofMillis(200).toNanos();

  private final Readings readings;
  private final boolean handlersToo;

  /** Never has a permit; waiting for one only waits for the time. */
  private final Semaphore nothing = new Semaphore(0);

  private BackPressure(Readings readings, boolean handlersToo) {
    this.readings = readings;
    this.handlersToo = handlersToo;
  }

  /**
   * For the queue in the schema of {@code dataSource}. Its account needs the role {@code producer};
   * the data source must not return the connection of an open transaction.
   */
  public static BackPressure over(DataSource dataSource) {
    return new BackPressure(new Readings(dataSource), false);
  }

  /**
   * A copy that also rejects messages enqueued by handlers; the handlers' messages are then
   * retried.
   */
  public BackPressure inHandlersToo() {
    return new BackPressure(readings, true);
  }

  /** Whether {@code topic} is over its limit, also on a handler's thread. */
  public boolean isFull(Topic topic) {
    SampledTopic sampled = readings.of(topic);
    return sampled != null && sampled.isFull();
  }

  /** The last sample of {@code topic}; empty if it has no limit, or was not sampled yet. */
  public Optional<DepthSample> sample(Topic topic) {
    SampledTopic sampled = readings.of(topic);
    return sampled == null ? Optional.empty() : Optional.ofNullable(sampled.sample());
  }

  /**
   * Throws if one of {@code topics} is over its limit; never on a handler's thread.
   *
   * @throws TopicFullException for the first that is full
   */
  public void check(Collection<Topic> topics) {
    for (Topic topic : topics) {
      TopicFullException refusal = refusal(topic);
      if (refusal != null) {
        throw refusal;
      }
    }
  }

  /**
   * Waits until {@code topic} is no longer over its limit, at most {@code longest}. Call it before
   * a transaction begins: waiting inside one would hold its locks and its snapshot, and keep the
   * queue full.
   *
   * @throws TopicFullException if it is still over its limit
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void await(Topic topic, Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    boolean waited = false;
    TopicFullException refusal = refusal(topic);
    while (refusal != null) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw refusal;
      }
      pause(Math.min(left, Math.max(1_000_000, readings.untilNext().toNanos())));
      waited = true;
      refusal = refusal(topic);
    }
    if (waited) {
      pause(ThreadLocalRandom.current().nextLong(SPREAD_NANOS));
    }
  }

  private void pause(long nanos) throws InterruptedException {
    if (nothing.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("the semaphore never has a permit");
    }
  }

  private @Nullable TopicFullException refusal(Topic topic) {
    if (!handlersToo && HandlingThread.isCurrent()) {
      return null;
    }
    SampledTopic sampled = readings.of(topic);
    if (sampled == null) {
      return null;
    }
    DepthSample sample = sampled.sample();
    return sample != null && sample.full()
        ? new TopicFullException(topic, sampled.limit(), sample)
        : null;
  }
}
