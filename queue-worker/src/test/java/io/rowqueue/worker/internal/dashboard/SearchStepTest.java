package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SearchStepTest {

  @Test
  void stepWithPayloads_beginsSmall_andFollowsTheTimesOfStatements() {
    SearchStep step = new SearchStep(true);
    assertThat(step.rows()).isEqualTo(50);
    assertThat(after(step, 5)).isEqualTo(100);
    assertThat(after(step, 20)).isEqualTo(100);
    assertThat(after(step, 1_000)).isEqualTo(25);
    for (int i = 0; i < 5; i++) {
      after(step, 1_000);
    }
    assertThat(step.rows()).isEqualTo(1);
  }

  @Test
  void stepWithoutPayloads_growsToTheLargest() {
    SearchStep step = new SearchStep(false);
    assertThat(step.rows()).isEqualTo(500);
    for (int i = 0; i < 5; i++) {
      after(step, 1);
    }
    assertThat(step.rows()).isEqualTo(5_000);
  }

  private static int after(SearchStep step, long millis) {
    step.took(Duration.ofMillis(millis).toNanos());
    return step.rows();
  }
}
