package io.rowqueue.worker.internal.dispatch;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reduces claims of a topic whose settlements the database rejects to one per second, until one
 * succeeds. Thread-safe.
 */
final class FailureBackoff {

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clock;
  private volatile @Nullable Long pulledNanos;

  /** The claims held when one more may be tried: handlers that run for hours do not prevent it. */
  private volatile int heldBefore = Integer.MAX_VALUE;

  /** Creates an inactive instance with the nanosecond {@code clock}. */
  FailureBackoff(LongSupplier clock) {
    this.clock = clock;
  }

  /** Records a claim that was released without being settled. */
  void pull() {
    heldBefore = Integer.MAX_VALUE;
    pulledNanos = clock.getAsLong();
  }

  /** Records a settled claim. */
  void release() {
    if (pulledNanos != null) {
      pulledNanos = null;
    }
  }

  /**
   * Returns how many of {@code wanted} may be claimed; {@code held} is evaluated only during a
   * backoff.
   */
  int limit(int wanted, IntSupplier held) {
    Long pulled = pulledNanos;
    if (pulled == null) {
      return wanted;
    }
    if (clock.getAsLong() - pulled < PAUSE_NANOS) {
      return 0;
    }
    int now = held.getAsInt();
    heldBefore = Math.min(heldBefore, now);
    return now <= heldBefore ? Math.min(wanted, 1) : 0;
  }
}
