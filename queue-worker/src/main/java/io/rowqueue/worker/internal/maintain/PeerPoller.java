package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Whether a peer seems to be dead. The claimer's looks ask it on the side; where the claimer has no
 * time for looks, maintenance asks for itself. Thread-safe.
 */
@Singleton
public final class PeerPoller {

  private static final Duration POLL_LEAST = Duration.ofMillis(200);
  private static final Duration POLL_MOST = Duration.ofSeconds(1);

  private final Reaper reaper;
  private final Duration pollInterval;
  private final Semaphore suspicions = new Semaphore(0);
  private volatile long polledNanos = System.nanoTime();

  @Inject
  PeerPoller(Reaper reaper, WorkerConfig config) {
    this.reaper = reaper;
    this.pollInterval = pollInterval(config.leaseDuration());
  }

  /** A short lease asks for shorter looks than a dead worker's lock. */
  private static Duration pollInterval(Duration lease) {
    Duration fifth = lease.dividedBy(5);
    if (fifth.compareTo(POLL_LEAST) < 0) {
      return POLL_LEAST;
    }
    return fifth.compareTo(POLL_MOST) > 0 ? POLL_MOST : fifth;
  }

  /** What to ask on the side. */
  public PiggybackQuery question() {
    return PiggybackQuery.whether(reaper.isAnyoneGone(pollInterval), this::polled);
  }

  /**
   * The time between two looks of an idle worker; what ends before the next is seen by this one.
   */
  Duration pollInterval() {
    return pollInterval;
  }

  private void polled(boolean suspicious) {
    polledNanos = System.nanoTime();
    if (suspicious && suspicions.availablePermits() == 0) {
      suspicions.release();
    }
  }

  /**
   * Waits until a look has found something, at most until the next is due; looks itself if nobody
   * else has.
   *
   * @return whether there may be something to do
   */
  boolean await() throws InterruptedException {
    if (suspicions.tryAcquire(pollInterval.toNanos(), TimeUnit.NANOSECONDS)) {
      suspicions.drainPermits();
      return true;
    }
    return System.nanoTime() - polledNanos > pollInterval.toNanos()
        && reaper.hasSomeoneGone(pollInterval);
  }
}
