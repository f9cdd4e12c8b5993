package io.rowqueue.worker.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.database.Question;
import io.rowqueue.reap.Reaper;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Whether a peer seems to be dead. The claimer's looks ask it on the side; where the claimer has no
 * time for looks, maintenance asks for itself. Thread-safe.
 */
@Singleton
public final class PeerWatch {

  private final Reaper reaper;
  private final Semaphore suspicions = new Semaphore(0);
  private volatile long lookedNanos = System.nanoTime();

  @Inject
  PeerWatch(Reaper reaper) {
    this.reaper = reaper;
  }

  /** What to ask on the side. */
  public Question question() {
    return Question.whether(reaper.isAnyoneGone(), this::looked);
  }

  private void looked(boolean suspicious) {
    lookedNanos = System.nanoTime();
    if (suspicious && suspicions.availablePermits() == 0) {
      suspicions.release();
    }
  }

  /**
   * Waits until a look has found something, at most {@code longest}; looks itself if nobody has
   * looked for so long.
   *
   * @return whether there may be something to do
   */
  boolean await(Duration longest) throws InterruptedException {
    if (suspicions.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      suspicions.drainPermits();
      return true;
    }
    return System.nanoTime() - lookedNanos > longest.toNanos() && reaper.hasSomeoneGone();
  }
}
