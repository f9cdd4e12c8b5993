package io.rowqueue.worker;

import io.rowqueue.ClaimSettings;
import io.rowqueue.Topic;
import java.util.HashMap;
import java.util.Map;

/**
 * How a worker claims and divides its capacity among topics. Immutable; each {@code with} method
 * returns a copy.
 *
 * @param settings the strategy and its cursor
 * @param weights relative share of the worker per topic under contention, 1 to 1,000; 1 if a topic
 *     is not named
 * @param rates this worker's claim rate limit per topic; unlimited if a topic is not named
 */
public record ClaimConfig(
    ClaimSettings settings, Map<Topic, Integer> weights, Map<Topic, Rate> rates) {

  private static final int HEAVIEST = 1_000;

  /** Validates the weights. */
  public ClaimConfig {
    weights = Map.copyOf(weights);
    rates = Map.copyOf(rates);
    weights.forEach(
        (topic, weight) -> {
          if (weight < 1 || weight > HEAVIEST) {
            throw new IllegalArgumentException(
                "the weight of topic '%s' must lie between 1 and %d, not %d"
                    .formatted(topic, HEAVIEST, weight));
          }
        });
  }

  /** Uses the best strategy that the server supports, equal weights and no rate limits. */
  public static ClaimConfig defaults() {
    return new ClaimConfig(ClaimSettings.defaults(), Map.of(), Map.of());
  }

  /** Returns a copy with another strategy or without the cursor. */
  public ClaimConfig withSettings(ClaimSettings value) {
    return new ClaimConfig(value, weights, rates);
  }

  /** Returns a copy with {@code weight} for {@code topic}. */
  public ClaimConfig withWeight(Topic topic, int weight) {
    Map<Topic, Integer> more = new HashMap<>(weights);
    more.put(topic, weight);
    return new ClaimConfig(settings, more, rates);
  }

  /** Returns a copy with {@code rate} for {@code topic}. */
  public ClaimConfig withRate(Topic topic, Rate rate) {
    Map<Topic, Rate> more = new HashMap<>(rates);
    more.put(topic, rate);
    return new ClaimConfig(settings, weights, more);
  }

  /** Returns the weight of {@code topic}. */
  public int weight(Topic topic) {
    return weights.getOrDefault(topic, 1);
  }
}
