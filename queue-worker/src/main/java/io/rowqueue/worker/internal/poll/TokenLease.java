package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.RateBuckets.Drawn;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The tokens that this worker has drawn from a topic's cluster-wide rate limit and not used yet.
 * Few, and expire after a second, which can only lower the rate. For one thread at a time, except
 * {@link #isDry}, {@link #released} and {@link #pendingNanos}.
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

  /** Returns whether no tokens are left, and none can be drawn now. */
  boolean isDry() {
    return left.get() == 0 && pendingNanos() > 0;
  }

  /** Returns the delay before tokens are drawn again; at most 0 if there is none. */
  long pendingNanos() {
    return drawsFromNanos.get() - clock.getAsLong();
  }

  /**
   * Returns how many of {@code wanted} may be claimed. Claims that wait for a thread start later
   * than their tokens were drawn, so there are never more of them than may start at once.
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

  /** Records that {@code count} messages were claimed, at most as many as were admitted. */
  void claimed(int count) {
    left.addAndGet(-count);
  }

  /** Records that a claim was released before it started. */
  void released() {
    left.incrementAndGet();
  }
}
