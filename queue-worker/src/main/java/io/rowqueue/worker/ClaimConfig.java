package io.rowqueue.worker;

import io.rowqueue.ClaimSettings;
import io.rowqueue.Topic;
import java.util.HashMap;
import java.util.Map;

/**
 * How a worker claims, and how it divides itself among topics. Immutable; each {@code with} method
 * returns a copy.
 *
 * @param settings the strategy and its cursor
 * @param weights how much of the worker a topic gets while others want it too, 1 to 1,000; a topic
 *     that is not named has 1
 * @param rates the most that this worker claims of a topic in a time; a topic that is not named has
 *     no limit
 */
public record ClaimConfig(
    ClaimSettings settings, Map<Topic, Integer> weights, Map<Topic, Rate> rates) {

  private static final int HEAVIEST = 1_000;

  /** Checks the weights. */
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

  /** The best strategy that the server has, all topics alike, and no rates. */
  public static ClaimConfig defaults() {
    return new ClaimConfig(ClaimSettings.defaults(), Map.of(), Map.of());
  }

  /** The same with another strategy or without the cursor. */
  public ClaimConfig withSettings(ClaimSettings value) {
    return new ClaimConfig(value, weights, rates);
  }

  /** The same with {@code weight} for {@code topic}. */
  public ClaimConfig withWeight(Topic topic, int weight) {
    Map<Topic, Integer> more = new HashMap<>(weights);
    more.put(topic, weight);
    return new ClaimConfig(settings, more, rates);
  }

  /** The same with {@code rate} for {@code topic}. */
  public ClaimConfig withRate(Topic topic, Rate rate) {
    Map<Topic, Rate> more = new HashMap<>(rates);
    more.put(topic, rate);
    return new ClaimConfig(settings, weights, more);
  }

  /** The weight of {@code topic}. */
  public int weight(Topic topic) {
    return weights.getOrDefault(topic, 1);
  }
}
