package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.RateBuckets.Drawn;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What this worker has drawn of one topic's rate and not begun yet. It is small, and forgotten
 * after a second: fewer begin then, never more. For one thread at a time, but for {@link #isDry},
 * {@link #released} and {@link #pendingNanos}.
 */
final class TokenLease {

  private static final long LIFE_NANOS = Duration.ofSeconds(1).toNanos();

  private final Topic topic;
  private final RateBuckets buckets;
  private final LongSupplier clock;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicLong drawsFromNanos;
  private long drawnNanos;

  TokenLease(Topic topic, RateBuckets buckets, LongSupplier clock) {
    this.topic = topic;
    this.buckets = buckets;
    this.clock = clock;
    this.drawnNanos = clock.getAsLong();
    this.drawsFromNanos = new AtomicLong(drawnNanos);
  }

  /** Whether there is nothing left, nor more to be had just now. */
  boolean isDry() {
    return left.get() == 0 && pendingNanos() > 0;
  }

  /** For how long it will not draw again; at most 0 if it would now. */
  long pendingNanos() {
    return drawsFromNanos.get() - clock.getAsLong();
  }

  /**
   * How many of {@code wanted} may be claimed. What waits for a thread is begun later than it was
   * drawn, so there is never more of it than of what may be begun at once.
   */
  int admit(int wanted, int waiting, int perSecond) {
    if (perSecond < 1) {
      return 0;
    }
    long now = clock.getAsLong();
    if (now - drawnNanos >= LIFE_NANOS) {
      left.set(0);
    }
    int most = Math.min(wanted, RateBuckets.burst(perSecond) - waiting);
    int lacking = most - left.get();
    if (lacking > 0 && pendingNanos() <= 0) {
      Drawn drawn = buckets.draw(topic, lacking, perSecond);
      if (drawn.messages() > 0) {
        drawnNanos = now;
        left.addAndGet(drawn.messages());
      } else {
        drawsFromNanos.set(clock.getAsLong() + drawn.pause().toNanos());
      }
    }
    return Math.max(0, Math.min(most, left.get()));
  }

  /** So many were claimed, at most as many as were admitted. */
  void claimed(int count) {
    left.addAndGet(-count);
  }

  /** One was given back without being begun. */
  void released() {
    left.incrementAndGet();
  }
}
