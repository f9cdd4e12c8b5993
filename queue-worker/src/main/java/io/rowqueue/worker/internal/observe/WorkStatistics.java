package io.rowqueue.worker.internal.observe;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.WorkCounter;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds up in memory what this worker does, by topic, and writes it once a minute. What cannot be
 * written is kept and added to the next minute, so that a failure takes no more memory.
 * Thread-safe.
 */
@Singleton
public final class WorkStatistics implements WorkerObserver {

  private static final Logger LOG = LoggerFactory.getLogger(WorkStatistics.class);

  private static final long MINUTE_MILLIS = 60_000;

  /** After the start of a minute, by when all workers have written what they did before it. */
  private static final long SAMPLE_MILLIS = 5_000;

  private final Provider<Statistics> statistics;
  private final ServerTime time;
  private final Map<String, WorkCounter> topics = new ConcurrentHashMap<>();
  private long writtenMinute = -1;
  private long sampledMinute = -1;

  @Inject
  public WorkStatistics(Provider<Statistics> statistics, ServerTime time) {
    this.statistics = statistics;
    this.time = time;
  }

  private WorkCounter of(Claim claim) {
    return topics.computeIfAbsent(claim.topic().name(), any -> new WorkCounter());
  }

  @Override
  public void begun(Handling handling) {
    for (Claim claim : handling.claims()) {
      Duration latency = time.pickup(claim);
      if (latency != null) {
        of(claim).pickedUp(latency);
      }
    }
  }

  @Override
  public void ended(Handling handling) {
    of(handling.claim()).handled(handling.runningNanos());
  }

  @Override
  public void settled(Claim claim, Outcome outcome) {
    of(claim).settled(outcome);
  }

  /** Called about once a second; writes in the first second of a minute, and samples later. */
  public synchronized void turn(long nowMillis) {
    long minute = nowMillis / MINUTE_MILLIS;
    if (minute != writtenMinute) {
      writtenMinute = minute;
      flush();
    } else if (minute != sampledMinute && nowMillis % MINUTE_MILLIS >= SAMPLE_MILLIS) {
      sampledMinute = minute;
      logFailure("the depth of topics is not sampled", () -> statistics.get().sample(time.read()));
    }
  }

  /** Writes what has not been written yet. Logs failures. */
  public synchronized void flush() {
    logFailure("statistics are not written, and kept for the next minute", this::write);
  }

  private static void logFailure(String consequence, Runnable write) {
    try {
      write.run();
    } catch (QueueException e) {
      LOG.warn("{}: {}", consequence, FailureText.of(e));
    }
  }

  private void write() {
    Instant now = time.read();
    Map<String, WorkCounts> work = new HashMap<>();
    topics.forEach((topic, counter) -> work.put(topic, counter.unwritten()));
    work.values().removeIf(WorkCounts::isNone);
    statistics.get().add(work, now);
    topics.forEach(
        (topic, counter) -> counter.written(work.getOrDefault(topic, WorkCounts.none())));
  }
}
