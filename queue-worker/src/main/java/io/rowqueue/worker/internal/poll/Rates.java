package io.rowqueue.worker.internal.poll;

import io.github.bucket4j.Bucket;
import io.rowqueue.Topic;
import io.rowqueue.worker.Rate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How many messages of a topic this worker may claim now. A bucket holds what a tenth of a second
 * brings, at least one, so that a rate of 100/s is no burst of 100 each second. Thread-safe.
 */
final class Rates {

  private static final Duration BURST = Duration.ofMillis(100);

  private final Map<Topic, Limit> limits = new HashMap<>();

  Rates(Map<Topic, Rate> rates) {
    rates.forEach((topic, rate) -> limits.put(topic, Limit.of(rate)));
  }

  /** How many of {@code topic} may be claimed now. */
  int capacity(Topic topic) {
    Limit limit = limits.get(topic);
    return limit == null
        ? Integer.MAX_VALUE
        : (int) Math.min(Integer.MAX_VALUE, limit.bucket.getAvailableTokens());
  }

  /** So many of {@code topic} were claimed, at most as many as there was room for. */
  void claimed(Topic topic, int count) {
    Limit limit = limits.get(topic);
    if (limit != null && count > 0) {
      limit.bucket.tryConsume(count);
    }
  }

  /** One of {@code topic} was given back without being handled. Any thread may say so. */
  void released(Topic topic) {
    Limit limit = limits.get(topic);
    if (limit != null) {
      limit.bucket.addTokens(1);
    }
  }

  /** The least time until an exhausted topic is worth another look, or {@code longest}. */
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
