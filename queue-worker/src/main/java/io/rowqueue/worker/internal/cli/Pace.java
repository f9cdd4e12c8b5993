package io.rowqueue.worker.internal.cli;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How fast a command goes. Its bucket holds what a tenth of a second brings, so that a rate of
 * 1,000 a second is no burst of 1,000. Not thread-safe.
 */
final class Pace {

  static final int FASTEST = 1_000_000;

  private static final int BUCKETS_A_SECOND = 10;

  private final @Nullable Bucket bucket;
  private final int capacity;
  private final BlockingStrategy waiting;

  private Pace(@Nullable Bucket bucket, int capacity, BlockingStrategy waiting) {
    this.bucket = bucket;
    this.capacity = capacity;
    this.waiting = waiting;
  }

  /** As fast as the database goes. */
  static Pace unlimited() {
    return new Pace(null, Integer.MAX_VALUE, BlockingStrategy.PARKING);
  }

  static Pace perSecond(int rate) {
    return perSecond(rate, TimeMeter.SYSTEM_NANOTIME, BlockingStrategy.PARKING);
  }

  /** With another clock, for tests. */
  static Pace perSecond(int rate, TimeMeter clock, BlockingStrategy waiting) {
    CommandFailure.checkRange("--per-second", rate, 1, FASTEST);
    int capacity = Math.max(1, rate / BUCKETS_A_SECOND);
    Bucket bucket =
        Bucket.builder()
            .addLimit(limit -> limit.capacity(capacity).refillGreedy(rate, Duration.ofSeconds(1)))
            .withCustomTimePrecision(clock)
            .build();
    return new Pace(bucket, capacity, waiting);
  }

  /** How many may go at once, {@code most} at most. */
  int atOnce(int most) {
    return Math.min(capacity, most);
  }

  /** Waits until {@code count}, at most {@link #atOnce}, may go. */
  void await(int count) {
    if (bucket == null || count == 0) {
      return;
    }
    try {
      bucket.asBlocking().consume(count, waiting);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("it was interrupted", e);
    }
  }
}
