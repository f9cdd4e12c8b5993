package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShrinkerTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private static List<Step> random(long seed) {
    Random random = new Random(seed);
    return Stream.generate(() -> Step.random(random)).limit(1_000).toList();
  }

  /** Fails where somebody crashes, with an odd number, after somebody has claimed. */
  private static boolean fails(List<Step> steps) {
    boolean claimed = false;
    for (Step step : steps) {
      if (claimed && step.deed() == Action.CRASH && step.numbers().get(1) % 2 == 1) {
        return true;
      }
      claimed |= step.deed() == Action.CLAIM;
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void failingPlay_isShrunkToTheTwoStepsThatMatter(long seed) {
    Predicate<List<Step>> fails = ShrinkerTest::fails;
    assertThat(fails.test(random(seed))).as("the planted failure").isTrue();
    assertThat(Step.text(new Shrinker(fails, LONG).shrink(random(seed))))
        .isEqualTo("claim,crash.0.1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void play_writtenAndReadAgain_isTheSamePlay(long seed) {
    String text = Step.text(random(seed));
    assertThat(Step.text(Step.parseAll(text))).isEqualTo(text);
  }
}
