package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.internal.limit.RateBuckets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The token buckets of topics with a rate limit. */
final class MemoryBuckets implements RateBuckets {

  /** The unit of a token: at a rate of one per second, one unit is added per microsecond. */
  private static final long PARTS = 1_000_000;

  private final Memory memory;
  private final Map<Topic, Bucket> buckets = new HashMap<>();

  MemoryBuckets(Memory memory) {
    this.memory = memory;
  }

  private record Bucket(long parts, Instant filledAt) {}

  @Override
  public Drawn draw(Topic topic, int wanted, int perSecond) {
    synchronized (memory) {
      long parts = parts(topic, perSecond);
      int burst = RateBuckets.burst(perSecond);
      int drawn = (int) Math.min(Math.min(wanted, burst), parts / PARTS);
      if (drawn == 0) {
        return new Drawn(0, untilHalfFull(parts, burst, perSecond));
      }
      long left = memory.rules.partsLeft(parts, drawn * PARTS);
      buckets.put(topic, new Bucket(left, memory.now()));
      return new Drawn(drawn, Duration.ZERO);
    }
  }

  /** Returns its current level; full if it was never drawn from. */
  private long parts(Topic topic, int perSecond) {
    long most = RateBuckets.burst(perSecond) * PARTS;
    Bucket bucket = buckets.get(topic);
    if (bucket == null) {
      return most;
    }
    long micros = Duration.between(bucket.filledAt, memory.now()).toNanos() / 1_000;
    return Math.min(most, bucket.parts + perSecond * Math.min(PARTS, micros));
  }

  private static Duration untilHalfFull(long parts, int burst, int perSecond) {
    long missing = Math.max(1, burst / 2) * PARTS - parts;
    return Duration.ofNanos((missing * 1_000 + perSecond - 1) / perSecond);
  }
}
