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

  /** Creates an inactive instance with the nanosecond {@code clock}. */
  FailureBackoff(LongSupplier clock) {
    this.clock = clock;
  }

  /** Records a claim that was released without being settled. */
  void pull() {
    pulledNanos = clock.getAsLong();
  }

  /** Records a settled claim. */
  void release() {
    pulledNanos = null;
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
    boolean mayTry = held.getAsInt() == 0 && clock.getAsLong() - pulled >= PAUSE_NANOS;
    return mayTry ? Math.min(wanted, 1) : 0;
  }
}
