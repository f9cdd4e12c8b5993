package io.rowqueue.worker.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoadMeterTest {

  private final AtomicInteger handled = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong(-1);
  private final LoadMeter meter = new LoadMeter(() -> 4, () -> 3, handled::get, nanos::get);

  @Test
  void rate_isOfAtLeastTenSeconds() {
    assertThat(rateAfter(5, 100)).isNull();
    assertThat(rateAfter(5, 25)).isEqualTo(12.5);
    assertThat(rateAfter(5, 1_000)).isEqualTo(12.5);
    assertThat(rateAfter(7, 0)).isEqualTo(83.3);
    assertThat(rateAfter(10, 0)).isZero();
  }

  @Test
  void load_hasWhatItIsTold_andTheHeap() {
    handled.set(17);
    assertThat(meter.read())
        .satisfies(
            load -> assertThat(load.threads()).isEqualTo(4),
            load -> assertThat(load.busyThreads()).isEqualTo(3),
            load -> assertThat(load.handled()).isEqualTo(17),
            load -> assertThat(load.memoryUsed()).isBetween(1L, load.memoryMax()));
  }

  private @Nullable Double rateAfter(int seconds, int more) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    handled.addAndGet(more);
    return meter.read().handledPerSecond();
  }
}
