package io.rowqueue.proof.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SampleTest {

  private static final List<String> CELLS =
      IntStream.rangeClosed(1, 87).mapToObj(number -> "it's cell " + number).toList();

  private static List<String> sample(String tier, String cell, String commit) {
    return Sample.of(SampleTest.class, 8, CELLS, tier, cell, commit).cells();
  }

  @Test
  void quick_isOneShardOfEvenSize_inTheOrderOfTheCells() {
    assertThat(sample("quick", "", "abc1234"))
        .hasSizeBetween(10, 11)
        .isEqualTo(sample("quick", "", "abc1234"))
        .isSortedAccordingTo((one, other) -> CELLS.indexOf(one) - CELLS.indexOf(other));
  }

  @Test
  void ci_isAnotherSample() {
    assertThat(sample("ci", "", "abc1234"))
        .hasSizeBetween(10, 11)
        .doesNotContainAnyElementsOf(sample("quick", "", "abc1234"));
  }

  @Test
  void commits_coverAllCellsOverTime() {
    Set<String> covered = new HashSet<>();
    for (int commit = 1; commit <= Sample.until99(8); commit++) {
      covered.addAll(sample("quick", "", "commit " + commit));
    }
    assertThat(covered).containsAll(CELLS);
    assertThat(sample("all", "", "abc1234")).isEqualTo(CELLS);
  }

  /** Eight coupons: 8 x (1 + 1/2 + ... + 1/8) = 21.7. */
  @Test
  void commits_untilAllAreCovered_areTheCouponCollectors() {
    assertThat(Sample.untilAll(8)).isBetween(21, 23);
    assertThat(Sample.until99(8)).isBetween(49, 52);
    assertThat(Sample.untilAll(1)).isEqualTo(1);
  }

  @Test
  void cell_isTheOneOfThatName_orThoseThatContainIt() {
    assertThat(sample("quick", "it's cell 8", "abc1234")).containsExactly("it's cell 8");
    assertThat(sample("quick", "cell 8", "abc1234")).hasSize(9);
    assertThat(sample("quick", "nothing", "abc1234")).isEmpty();
  }

  @Test
  void failure_saysHowToRepeatItAlone() {
    Sample<String> sample =
        Sample.of(SampleTest.class, 8, CELLS, "quick", "it's cell 8", "abc1234");
    assertThatThrownBy(
            () ->
                sample
                    .tests(
                        cell -> {
                          throw new IllegalStateException("red");
                        })
                    .findFirst()
                    .orElseThrow()
                    .getExecutable()
                    .execute())
        .hasMessageContaining("-Dit.test=SampleTest")
        .hasMessageContaining("-Drowqueue.test.cell='it'\\''s cell 8'")
        .hasMessageContaining("red");
  }

  @Test
  void tier_thatIsUnknown_isRefused() {
    assertThatThrownBy(() -> sample("sometimes", "", "abc1234")).hasMessageContaining("sometimes");
  }
}
