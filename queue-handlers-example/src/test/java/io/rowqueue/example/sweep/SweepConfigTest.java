package io.rowqueue.example.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SweepConfigTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration BELOW_ZERO = Duration.ofSeconds(-1);

  @Test
  void config_thatMakesNoSense_isRefused() {
    assertThatThrownBy(() -> new SweepConfig(BELOW_ZERO, HOUR, HOUR, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("period");
    assertThatThrownBy(() -> new SweepConfig(HOUR, BELOW_ZERO, HOUR, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payWithin");
    assertThatThrownBy(() -> new SweepConfig(HOUR, HOUR, Duration.ZERO, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("deadAfter");
    assertThatThrownBy(() -> new SweepConfig(HOUR, HOUR, HOUR, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit");
  }

  @Test
  void defaults_holdAnOrderForLongerThanItIsRetried() {
    Duration waits = Duration.ofSeconds(2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 512);
    Duration longestWaits = waits.multipliedBy(3).dividedBy(2); // ± 50 %
    Duration handlings = Duration.ofMinutes(1).multipliedBy(10);
    assertThat(SweepConfig.defaults().deadAfter()).isGreaterThan(longestWaits.plus(handlings));
  }
}
