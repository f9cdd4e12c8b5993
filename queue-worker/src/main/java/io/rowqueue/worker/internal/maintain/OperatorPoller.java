package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The operators' requests for this worker: paused topics, limits, and drain. Read as a part of the
 * claimer's polls, or by its own loop when the claimer does not poll. Thread-safe.
 */
@Singleton
public final class OperatorPoller {

  /** The check reads a number in memory. */
  private static final Duration EVERY = Duration.ofMillis(100);

  /**
   * The tolerance for late polls, to avoid a duplicate query. Together with the interval 1.2 s,
   * within the two seconds promised to operators.
   */
  private static final Duration STALE = Duration.ofMillis(1_050);

  private final TopicSettingsCache settings;
  private final LeaseState leaseState;
  private final WorkerThreads threads;
  private final Signal claimer;
  private final AtomicBoolean requested = new AtomicBoolean();
  private volatile Runnable drain = () -> {};

  @Inject
  OperatorPoller(
      TopicSettingsCache settings, LeaseState leaseState, WorkerThreads threads, Signal claimer) {
    this.settings = settings;
    this.leaseState = leaseState;
    this.threads = threads;
    this.claimer = claimer;
  }

  /** Starts the loop; {@code drain} runs at most once, on a thread that it may keep. */
  public void start(Runnable onDrainRequested) {
    drain = onDrainRequested;
    threads.loop("operator", EVERY, this::turn);
  }

  public PiggybackQuery question() {
    return settings.question(leaseState.holder());
  }

  /** Returns whether this worker must not claim messages of the topic. */
  public boolean isPaused(Topic topic) {
    return settings.isWorkerPaused() || settings.isPaused(topic);
  }

  /** Returns the share of this worker's threads, of which {@code own} is the setting. */
  public int weight(Topic topic, int own) {
    return settings.weight(topic, own);
  }

  public TopicLimits limits(Topic topic) {
    return settings.limits(topic);
  }

  /** Returns whether another worker has messages of the topic and lacks slots. */
  public boolean isWanted(Topic topic) {
    return settings.isWanted(topic);
  }

  private void turn() {
    if (System.nanoTime() - settings.readNanos() > STALE.toNanos()) {
      settings.refresh(leaseState.holder());
      // A busy claimer still holds claims of topics that have just been paused.
      claimer.raise();
    }
    if (settings.isDrainRequested()) {
      // Not one of the worker's own threads, since the drain waits for those.
      WorkerThreads.startOnce(requested, () -> new Thread(drain, "queue-drain").start());
    }
  }
}
