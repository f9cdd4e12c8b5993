package io.rowqueue.worker.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures for how long nothing of a kind has succeeded and the database has refused it again and
 * again. Thread-safe.
 */
public final class RefusalStreak {

  /** Refusals that are further apart are those of single messages, which are retried rarely. */
  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final LongSupplier clock;
  private volatile boolean refused;
  private long firstNanos;
  private long lastNanos;

  /** Without refusals; {@code clock} returns nanoseconds. */
  public RefusalStreak(LongSupplier clock) {
    this.clock = clock;
  }

  public synchronized void refused() {
    long now = clock.getAsLong();
    if (!refused || now - lastNanos > APART_NANOS) {
      firstNanos = now;
    }
    lastNanos = now;
    refused = true;
  }

  public void succeeded() {
    if (refused) {
      refused = false;
    }
  }

  /** Returns the time since the first refusal; zero if something has succeeded since. */
  public synchronized Duration length() {
    long now = clock.getAsLong();
    boolean lasts = refused && now - lastNanos <= APART_NANOS;
    return lasts ? Duration.ofNanos(now - firstNanos) : Duration.ZERO;
  }
}
