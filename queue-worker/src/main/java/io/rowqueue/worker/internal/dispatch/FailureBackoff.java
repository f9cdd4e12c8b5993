package io.rowqueue.worker.internal.dispatch;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the claims of a topic whose messages come back unhandled, since the database takes
 * none of their writes: one is tried each second, until one is settled. Thread-safe.
 */
final class FailureBackoff {

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clock;
  private volatile @Nullable Long pulledNanos;

  /** A released one, by the nanoseconds of {@code clock}. */
  FailureBackoff(LongSupplier clock) {
    this.clock = clock;
  }

  /** One came back unhandled. */
  void pull() {
    pulledNanos = clock.getAsLong();
  }

  /** One was handled. */
  void release() {
    pulledNanos = null;
  }

  /** How many of {@code wanted} may be claimed; {@code held} is asked only while it is pulled. */
  int limit(int wanted, IntSupplier held) {
    Long pulled = pulledNanos;
    if (pulled == null) {
      return wanted;
    }
    boolean mayTry = held.getAsInt() == 0 && clock.getAsLong() - pulled >= PAUSE_NANOS;
    return mayTry ? Math.min(wanted, 1) : 0;
  }
}
