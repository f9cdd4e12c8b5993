package io.rowqueue.worker;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the claimer. A signal that comes while it is busy is kept, and many are one. Thread-safe.
 */
@Singleton
public final class Signal {

  private final Semaphore raised = new Semaphore(0);

  @Inject
  Signal() {}

  /** Asks the claimer to look now. */
  public void raise() {
    if (raised.availablePermits() == 0) {
      raised.release();
    }
  }

  /**
   * Waits for a signal, at most {@code longest}.
   *
   * @return whether there was one
   */
  public boolean await(Duration longest) throws InterruptedException {
    boolean was = raised.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS);
    if (was) {
      raised.drainPermits();
    }
    return was;
  }
}
