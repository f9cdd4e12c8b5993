package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PrefetchWindowTest {

  private static final int THREADS = 4;
  private static final int MOST = 500;

  private long now;
  private final PrefetchWindow prefetch = new PrefetchWindow(THREADS, MOST, () -> now);

  /** Long enough for the rate to settle. */
  private void complete(int perSecond) {
    for (int window = 0; window < 20; window++) {
      now += TimeUnit.MILLISECONDS.toNanos(100);
      for (int i = 0; i < perSecond / 10; i++) {
        prefetch.completed();
      }
      prefetch.ahead();
    }
  }

  @Test
  void refill_beforeAnythingIsKnown_isOneForEachIdleThread() {
    assertThat(prefetch.refill(0, 0)).isEqualTo(THREADS);
    assertThat(prefetch.refill(3, 0)).isEqualTo(1);
    assertThat(prefetch.refill(0, THREADS)).isZero();
    assertThat(prefetch.refill(THREADS, 0)).isZero();
  }

  @Test
  void refill_whileMoreThanHalfWaits_isNone() {
    complete(1_000);
    assertThat(prefetch.ahead()).as("what 200 ms take").isBetween(195, 200);
    int half = prefetch.lowWater();
    assertThat(half).isEqualTo(prefetch.ahead() / 2);
    assertThat(prefetch.refill(THREADS, half + 1)).isZero();
    assertThat(prefetch.refill(THREADS, half)).isEqualTo(prefetch.ahead() - half);
  }

  @Test
  void refill_whereThreadsWouldStandIdle_doesNotWaitForTheHalf() {
    complete(10);
    assertThat(prefetch.lowWater()).isOne();
    assertThat(prefetch.refill(0, 2)).isPositive();
    assertThat(prefetch.refill(THREADS, 2)).isZero();
  }

  /** It would be claimed and released once a second. */
  @Test
  void refill_whileSlowHandlersHaveAllThreads_isNone() {
    complete(10);
    complete(0);
    assertThat(prefetch.refill(THREADS, 0)).isZero();
    assertThat(prefetch.refill(THREADS - 1, 0)).isOne();
  }

  @Test
  void refill_ofARateBeyondWhatMayBeHeld_staysWithinIt() {
    complete(100_000);
    assertThat(prefetch.refill(THREADS, 0)).isEqualTo(MOST);
    assertThat(prefetch.refill(0, 0)).isEqualTo(MOST);
  }
}
