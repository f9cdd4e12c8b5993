package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Wakes the claimer. A signal that arrives while it is busy is kept, and several are merged.
 * Thread-safe.
 */
@Singleton
public final class Signal {

  private final Semaphore raised = new Semaphore(0);
  private final AtomicBoolean notified = new AtomicBoolean();

  @Inject
  Signal() {}

  /** Requests a poll. */
  public void raise() {
    if (raised.availablePermits() == 0) {
      raised.release();
    }
  }

  /** Requests a poll because a message was enqueued. */
  public void notifyWorkers() {
    notified.set(true);
    raise();
  }

  /**
   * Waits for a signal, at most {@code longest}.
   *
   * @return whether a signal arrived
   */
  public boolean await(Duration longest) throws InterruptedException {
    if (raised.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      raised.drainPermits();
    }
    return notified.getAndSet(false);
  }
}
