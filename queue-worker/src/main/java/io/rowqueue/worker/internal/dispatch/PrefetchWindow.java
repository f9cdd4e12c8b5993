package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.claim.Body;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Computes how many claims to hold: one for each idle thread, and as many as the threads will
 * finish in about 200 ms, so that a worker with slow handlers does not hold messages that another
 * could process. Thread-safe.
 */
final class PrefetchWindow {

  /**
   * The maximum size of a waiting claim in bytes: payload and headers, each up to the inline limit.
   */
  static final long ROW_BYTES = 2L * Body.INLINE_BYTES;

  private static final double AHEAD_SECONDS = 0.2;
  private static final long WINDOW_NANOS = 50_000_000L;

  private final int threads;
  private final int most;
  private final LongSupplier clock;
  private final AtomicLong completed = new AtomicLong();
  private long windowStart;
  private long windowCompleted;
  private double perSecond;

  /** Creates a window for {@code threads} with the nanosecond {@code clock}. */
  PrefetchWindow(int threads, int most, LongSupplier clock) {
    this.threads = threads;
    this.most = most;
    this.clock = clock;
    this.windowStart = clock.getAsLong();
  }

  void completed() {
    completed.incrementAndGet();
  }

  /**
   * Returns how many more to claim while {@code busy} threads run handlers and {@code waiting}
   * claims wait; zero until half of them have gone, so that claims are few and large.
   */
  int refill(int busy, int waiting) {
    int ahead = ahead();
    int idle = idle(busy);
    boolean enough = waiting > ahead / 2 && waiting >= idle;
    return enough ? 0 : Math.max(0, Math.min(most, idle + ahead) - waiting);
  }

  /** Returns how many threads are idle while {@code busy} are not. */
  int idle(int busy) {
    return Math.max(0, threads - busy);
  }

  /** Returns how many claims the threads will finish soon. */
  synchronized int ahead() {
    long now = clock.getAsLong();
    if (now - windowStart >= WINDOW_NANOS) {
      long total = completed.get();
      double rate = (total - windowCompleted) * 1e9 / (now - windowStart);
      perSecond = (perSecond + rate) / 2;
      windowStart = now;
      windowCompleted = total;
    }
    return soon();
  }

  /** Rounded: if it is less than a half, a claim would wait until it is released, for ever. */
  private int soon() {
    return (int) Math.min(most, Math.round(perSecond * AHEAD_SECONDS));
  }

  /** Returns the number of waiting claims below which the claimer should poll. */
  synchronized int lowWater() {
    return soon() / 2;
  }
}
