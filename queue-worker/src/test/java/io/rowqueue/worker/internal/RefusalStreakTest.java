package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalStreakTest {

  private long nanos;
  private final RefusalStreak streak = new RefusalStreak(() -> nanos);

  private void refused(int... seconds) {
    for (int second : seconds) {
      nanos = Duration.ofSeconds(second).toNanos();
      streak.refused();
    }
  }

  @Test
  void length_ofRefusalsOnly_isTheTimeSinceTheFirst() {
    refused(0, 10, 20, 31);
    assertThat(streak.length()).isEqualTo(Duration.ofSeconds(31));
    streak.succeeded();
    assertThat(streak.length()).isZero();
    refused(32);
    assertThat(streak.length()).isZero();
  }

  /** A message that is refused for ever is tried every few minutes. */
  @Test
  void length_ofRareRefusals_isShort() {
    refused(0, 40, 100, 300);
    assertThat(streak.length()).isZero();
    nanos += Duration.ofSeconds(20).toNanos();
    assertThat(streak.length()).isZero();
  }
}
