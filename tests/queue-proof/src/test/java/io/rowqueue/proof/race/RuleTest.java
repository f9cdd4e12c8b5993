package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.race.Pair.Meeting;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuleTest {

  /**
   * Every pair has one rule, and it says why the loser does not wait: one that skips a row, or
   * passes by it, could have had it; one that finds nothing could not.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("io.rowqueue.proof.race.Pair#all")
  void pair_hasOneRule_whichSaysWhyNobodyWaits(Pair pair) {
    Meeting meeting = pair.rule().meeting();
    if (!meeting.waits()) {
      assertThat(pair.loserCouldWin())
          .as("%s in %s", pair, pair.situation())
          .isEqualTo(meeting != Meeting.FINDS_NOTHING);
    }
  }
}
