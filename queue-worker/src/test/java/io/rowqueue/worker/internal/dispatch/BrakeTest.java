package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BrakeTest {

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE);
  private final Brake brake = new Brake(clock::get);

  private void passes(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void limit_released_isWhatIsWanted() {
    assertThat(brake.limit(7, () -> 5)).isEqualTo(7);
    brake.pull();
    brake.release();
    assertThat(brake.limit(7, () -> 0)).isEqualTo(7);
  }

  @Test
  void limit_pulled_isOneASecondWhileNoneIsHeld() {
    brake.pull();
    passes(999);
    assertThat(brake.limit(7, () -> 0)).isZero();
    passes(1);
    assertThat(brake.limit(7, () -> 0)).isOne();
    assertThat(brake.limit(7, () -> 1)).isZero();
    assertThat(brake.limit(0, () -> 0)).isZero();
    brake.pull();
    assertThat(brake.limit(7, () -> 0)).isZero();
  }
}
