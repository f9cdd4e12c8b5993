package io.rowqueue.worker.internal.poll;

import io.github.bucket4j.Bucket;
import io.rowqueue.Topic;
import io.rowqueue.worker.Rate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * This worker's rate limit per topic. A token bucket holds a tenth of a second's tokens, at least
 * one, so that a rate of 100/s does not allow bursts of 100. Thread-safe.
 */
final class Rates {

  private static final Duration BURST = Duration.ofMillis(100);

  private final Map<Topic, Limit> limits = new HashMap<>();

  Rates(Map<Topic, Rate> rates) {
    rates.forEach((topic, rate) -> limits.put(topic, Limit.of(rate)));
  }

  /** Returns how many messages of {@code topic} may be claimed now. */
  int capacity(Topic topic) {
    Limit limit = limits.get(topic);
    return limit == null
        ? Integer.MAX_VALUE
        : (int) Math.min(Integer.MAX_VALUE, limit.bucket.getAvailableTokens());
  }

  /**
   * Records that {@code count} messages of {@code topic} were claimed, at most as many as were
   * allowed.
   */
  void claimed(Topic topic, int count) {
    Limit limit = limits.get(topic);
    if (limit != null && count > 0) {
      limit.bucket.tryConsume(count);
    }
  }

  /** Records that a claim of {@code topic} was released unprocessed. Callable from any thread. */
  void released(Topic topic) {
    Limit limit = limits.get(topic);
    if (limit != null) {
      limit.bucket.addTokens(1);
    }
  }

  /** Returns the shortest time until an exhausted topic can be polled again, or {@code longest}. */
  Duration wait(Duration longest) {
    long least = longest.toNanos();
    for (Limit limit : limits.values()) {
      if (limit.bucket.getAvailableTokens() == 0) {
        long enough = (limit.capacity + 1) / 2;
        least =
            Math.min(
                least, limit.bucket.estimateAbilityToConsume(enough).getNanosToWaitForRefill());
      }
    }
    return Duration.ofNanos(least);
  }

  private record Limit(Bucket bucket, long capacity) {
    static Limit of(Rate rate) {
      long capacity =
          Math.max(
              1, Math.round((double) rate.messages() * BURST.toNanos() / rate.per().toNanos()));
      return new Limit(
          Bucket.builder()
              .addLimit(limit -> limit.capacity(capacity).refillGreedy(rate.messages(), rate.per()))
              .withNanosecondPrecision()
              .build(),
          capacity);
    }
  }
}
