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
 * Whether topics have room for more, by what workers last found: make one for a process, and ask
 * it, or give it to a producer that refuses or waits. Topics without a limit always have room, and
 * so has every topic while that cannot be read. Thread-safe.
 *
 * <p>All threads of the process share one reading a second, over a connection of its own. A verdict
 * is late: at r messages a second of all producers together and judgements every J seconds, a depth
 * may exceed its limit by {@code r * (J + 1)} messages and what is under way.
 *
 * <p>Handlers are not refused: a full queue that stops its own workers never gets empty.
 */
public final class BackPressure {

  /** Those who waited do not come back all at once. */
  private static final long SPREAD_NANOS = Duration.ofMillis(200).toNanos();

  private final Readings readings;
  private final boolean handlersToo;

  /** Gives nothing to anybody; who waits for it waits for the time only. */
  private final Semaphore nothing = new Semaphore(0);

  private BackPressure(Readings readings, boolean handlersToo) {
    this.readings = readings;
    this.handlersToo = handlersToo;
  }

  /**
   * The room in the queue that {@code dataSource} reaches. Its account needs the role {@code room};
   * the data source must not hand out the connection of a transaction that is open.
   */
  public static BackPressure over(DataSource dataSource) {
    return new BackPressure(new Readings(dataSource), false);
  }

  /** The same, but what handlers enqueue is refused as well; their messages are then retried. */
  public BackPressure inHandlersToo() {
    return new BackPressure(readings, true);
  }

  /** Whether {@code topic} is overfull, whoever asks. */
  public boolean isFull(Topic topic) {
    SampledTopic judged = readings.of(topic);
    return judged != null && judged.isFull();
  }

  /** How full {@code topic} was found last; empty if it has no limit, or nobody has looked yet. */
  public Optional<DepthSample> verdict(Topic topic) {
    SampledTopic judged = readings.of(topic);
    return judged == null ? Optional.empty() : Optional.ofNullable(judged.verdict());
  }

  /**
   * Refuses if one of {@code topics} is overfull; never on the thread of a handler.
   *
   * @throws TopicFullException names the first that is
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
   * Waits until {@code topic} has room, at most {@code longest}. Call it before a transaction
   * begins: whoever waits in one holds its locks and its snapshot, and keeps the queue full.
   *
   * @throws TopicFullException if it is overfull still
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public void await(Topic topic, Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + longest.toNanos();
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
      throw new IllegalStateException("nobody gives a permit");
    }
  }

  private @Nullable TopicFullException refusal(Topic topic) {
    if (!handlersToo && HandlingThread.isCurrent()) {
      return null;
    }
    SampledTopic judged = readings.of(topic);
    if (judged == null) {
      return null;
    }
    DepthSample verdict = judged.verdict();
    return verdict != null && verdict.full()
        ? new TopicFullException(topic, judged.limit(), verdict)
        : null;
  }
}
