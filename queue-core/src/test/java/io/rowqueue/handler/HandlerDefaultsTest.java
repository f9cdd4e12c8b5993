package io.rowqueue.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandlerDefaultsTest {

  @Test
  void attempts_outliveAnOutageOfHalfADay_andEndWithinTwo() {
    HandlerDefaults defaults = HandlerDefaults.defaults();
    Duration waits =
        IntStream.range(1, defaults.maxAttempts())
            .mapToObj(attempt -> defaults.retryPolicy().backoff(attempt, new Exception("down")))
            .reduce(Duration.ZERO, Duration::plus);
    // Each wait is up to half as long, or half as long again.
    assertThat(waits).isBetween(Duration.ofHours(12), Duration.ofHours(36));
  }
}
