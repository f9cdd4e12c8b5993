package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailureBackoffTest {

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE);
  private final FailureBackoff backoff = new FailureBackoff(clock::get);

  private void passes(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void limit_released_isWhatIsWanted() {
    assertThat(backoff.limit(7, () -> 5)).isEqualTo(7);
    backoff.pull();
    backoff.release();
    assertThat(backoff.limit(7, () -> 0)).isEqualTo(7);
  }

  @Test
  void limit_pulled_isOneASecondWhileNoneIsHeld() {
    backoff.pull();
    passes(999);
    assertThat(backoff.limit(7, () -> 0)).isZero();
    passes(1);
    assertThat(backoff.limit(7, () -> 0)).isOne();
    assertThat(backoff.limit(7, () -> 1)).isZero();
    assertThat(backoff.limit(0, () -> 0)).isZero();
    backoff.pull();
    assertThat(backoff.limit(7, () -> 0)).isZero();
  }

  /** Handlers that run for hours do not keep a topic slow for as long. */
  @Test
  void limit_pulledWhileOthersRun_isOneMore() {
    backoff.pull();
    passes(1000);
    assertThat(backoff.limit(7, () -> 3)).isOne();
    assertThat(backoff.limit(7, () -> 4)).isZero();
    assertThat(backoff.limit(7, () -> 3)).isOne();
  }
}
