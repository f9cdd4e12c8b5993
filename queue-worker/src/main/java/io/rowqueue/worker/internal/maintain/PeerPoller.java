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
 * Detects peers that may be dead. Runs as a part of the claimer's polls; maintenance runs it when
 * the claimer does not poll. Thread-safe.
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

  /** A short lease needs more frequent checks than the liveness lock. */
  private static Duration pollInterval(Duration lease) {
    Duration fifth = lease.dividedBy(5);
    if (fifth.compareTo(POLL_LEAST) < 0) {
      return POLL_LEAST;
    }
    return fifth.compareTo(POLL_MOST) > 0 ? POLL_MOST : fifth;
  }

  public PiggybackQuery question() {
    return PiggybackQuery.whether(reaper.isAnyoneGone(pollInterval), this::polled);
  }

  /**
   * The poll interval of an idle worker; a lease that expires before the next poll is handled by
   * this one.
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
   * Waits until a poll finds a candidate, at most until the next one is due; polls itself if the
   * claimer has not.
   *
   * @return whether a peer may be dead
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
