package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What operators want of this worker: which topics to leave alone or to limit, and whether to drain
 * and end. The claimer's looks ask for it on the side; a loop asks where they do not. Thread-safe.
 */
@Singleton
public final class OperatorPoller {

  /** It looks at a number in memory. */
  private static final Duration EVERY = Duration.ofMillis(100);

  /**
   * Looks that come a little late are no reason to ask twice. Together with the above 1.2 s, where
   * operators are promised two.
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

  /** What to ask on the side. */
  public PiggybackQuery question() {
    return settings.question(leaseState.holder());
  }

  /** Whether the topic's messages are left alone for now. */
  public boolean isPaused(Topic topic) {
    return settings.isPaused(topic);
  }

  /** What holds for the topic in the whole cluster. */
  public TopicLimits limits(Topic topic) {
    return settings.limits(topic);
  }

  /** Whether a worker has work for the topic and lacks slots. */
  public boolean isWanted(Topic topic) {
    return settings.isWanted(topic);
  }

  /** From when on the topic is overfull. */
  DepthLimit depthLimit(Topic topic) {
    return settings.depthLimit(topic);
  }

  /** Topics whose verdict has outlived their limit. */
  Set<Topic> fullWithoutLimit() {
    return settings.fullWithoutLimit();
  }

  private void turn() {
    if (System.nanoTime() - settings.readNanos() > STALE.toNanos()) {
      settings.refresh(leaseState.holder());
      // A busy claimer has claims of topics that were paused meanwhile.
      claimer.raise();
    }
    if (settings.isDrainRequested() && requested.compareAndSet(false, true)) {
      // Not one of the worker's own threads, which the drain waits for.
      new Thread(drain, "queue-drain").start();
    }
  }
}
