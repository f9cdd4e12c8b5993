package io.rowqueue.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanizeTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "PT0.0000001S, 0 ms",
    "PT0.0004S, 0.4 ms",
    "PT0.05S, 50 ms",
    "PT1S, 1 s",
    "PT2.1S, 2.1 s",
    "PT2.137654S, 2.138 s",
    "PT30S, 30 s",
    "PT59.9999S, 60 s",
    "PT1M, 1 min",
    "PT1M20.7S, 1 min 20 s",
    "PT1H, 1 h",
    "PT1H30M5S, 1 h 30 min",
    "PT24H, 1 d",
    "PT51H10M, 2 d 3 h",
    "PT-5S, -5 s",
    "PT876600H, 36525 d"
  })
  void time_isSaidInTheUnitsThatPeopleUse(Duration length, String said) {
    assertThat(Humanize.duration(length)).isEqualTo(said);
  }

  @Test
  void count_agreesWithItsWord() {
    assertThat(Humanize.count(0, "claim")).isEqualTo("0 claims");
    assertThat(Humanize.count(1, "claim")).isEqualTo("1 claim");
    assertThat(Humanize.count(2, "claim")).isEqualTo("2 claims");
    assertThat(Humanize.count(1, "key is", "keys are")).isEqualTo("1 key is");
    assertThat(Humanize.count(7, "key is", "keys are")).isEqualTo("7 keys are");
  }
}
