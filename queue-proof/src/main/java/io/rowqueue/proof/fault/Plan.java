package io.rowqueue.proof.fault;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * How long a scenario goes on, and from which seed.
 *
 * @param faults how often it strikes; the run goes on until {@code messages} are enqueued, too
 * @param messages the least that are enqueued
 * @param longest ends it earlier; null for never
 * @param perSecond how many messages are enqueued in a second, as far as the server keeps up
 */
record Plan(long seed, int faults, long messages, @Nullable Duration longest, int perSecond) {

  /** Choices that {@code seed} repeats, for one thread. */
  static RandomGenerator seeded(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  boolean isOver(int struck, long enqueued, long nanos) {
    boolean tooLong = longest != null && nanos > longest.toNanos();
    return tooLong || (struck >= faults && enqueued >= messages);
  }

  /** The share of {@code scenario} in this plan for all of {@code scenarios}, rounded up. */
  Plan shareOf(Scenario scenario, List<Scenario> scenarios) {
    int whole = scenarios.stream().mapToInt(Scenario::share).sum();
    return new Plan(
        seed,
        (faults * scenario.share() + whole - 1) / whole,
        (messages * scenario.share() + whole - 1) / whole,
        longest,
        perSecond);
  }
}
