package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

  @Test
  void until_conditionThatComesTrue_returnsTheValue() {
    AtomicInteger looks = new AtomicInteger();

    int seen =
        Await.until("three", Duration.ofSeconds(5), looks::incrementAndGet, value -> value == 3);

    assertThat(seen).isEqualTo(3);
  }

  @Test
  void until_zeroTime_looksOnce() {
    assertThat(Await.until("one", Duration.ZERO, () -> 1, value -> value == 1)).isEqualTo(1);
  }

  @Test
  void until_conditionThatStaysFalse_tellsWhatAndTheLastValue() {
    assertThatThrownBy(
            () -> Await.until("the answer", Duration.ofMillis(20), () -> 41, value -> value == 42))
        .isInstanceOf(AssertionError.class)
        .hasMessage("the answer, awaited for 20 ms: the last value was 41");
  }

  @Test
  void until_pollThatThrows_isRepeatedAndKeptAsTheCause() {
    AtomicInteger looks = new AtomicInteger();

    assertThatThrownBy(
            () ->
                Await.until(
                    "a file",
                    Duration.ofMillis(20),
                    () -> {
                      looks.incrementAndGet();
                      throw new IOException("gone");
                    },
                    value -> true))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("gone")
        .hasCauseInstanceOf(IOException.class);
    assertThat(looks).hasValueGreaterThan(1);
  }

  @Test
  void that_interruptedThread_failsAtOnceAndStaysInterrupted() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> Await.that("never", Duration.ofMinutes(5), () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("(interrupted)");
    assertThat(Thread.interrupted()).isTrue();
  }
}
