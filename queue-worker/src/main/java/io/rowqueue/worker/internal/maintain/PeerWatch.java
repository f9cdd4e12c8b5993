package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Question;
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
public final class PeerWatch {

  private static final Duration LOOK_LEAST = Duration.ofMillis(200);
  private static final Duration LOOK_MOST = Duration.ofSeconds(1);

  private final Reaper reaper;
  private final Duration lookEvery;
  private final Semaphore suspicions = new Semaphore(0);
  private volatile long lookedNanos = System.nanoTime();

  @Inject
  PeerWatch(Reaper reaper, WorkerConfig config) {
    this.reaper = reaper;
    this.lookEvery = lookEvery(config.lease());
  }

  /** A short lease asks for shorter looks than a dead worker's lock. */
  private static Duration lookEvery(Duration lease) {
    Duration fifth = lease.dividedBy(5);
    if (fifth.compareTo(LOOK_LEAST) < 0) {
      return LOOK_LEAST;
    }
    return fifth.compareTo(LOOK_MOST) > 0 ? LOOK_MOST : fifth;
  }

  /** What to ask on the side. */
  public Question question() {
    return Question.whether(reaper.isAnyoneGone(lookEvery), this::looked);
  }

  /**
   * The time between two looks of an idle worker; what ends before the next is seen by this one.
   */
  Duration lookEvery() {
    return lookEvery;
  }

  private void looked(boolean suspicious) {
    lookedNanos = System.nanoTime();
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
    if (suspicions.tryAcquire(lookEvery.toNanos(), TimeUnit.NANOSECONDS)) {
      suspicions.drainPermits();
      return true;
    }
    return System.nanoTime() - lookedNanos > lookEvery.toNanos()
        && reaper.hasSomeoneGone(lookEvery);
  }
}
