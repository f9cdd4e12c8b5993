package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page and the rules that {@link RacesIT} plays say the same. */
class RacesPageTest {

  /** With {@code -Drowqueue.docs.update=true} the page is written instead of compared. */
  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");

  @Test
  void page_isWhatTheRulesSay() throws IOException {
    if (UPDATE) {
      RacesPage.update();
    }
    assertThat(RacesPage.written()).isEqualTo(RacesPage.generated());
  }

  /** Who skips a row, or passes by it, could have had it; who finds nothing could not. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("io.rowqueue.proof.race.Pair#all")
  void rule_namesWhyNobodyWaits(Pair pair) {
    if (!pair.meeting().waits()) {
      assertThat(pair.loserCouldWin())
          .as("%s in %s", pair, pair.situation())
          .isEqualTo(pair.meeting() != Meeting.FINDS_NOTHING);
    }
  }
}
