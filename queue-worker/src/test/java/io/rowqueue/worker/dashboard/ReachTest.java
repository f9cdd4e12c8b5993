package io.rowqueue.worker.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReachTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final long SLOW = Duration.ofMillis(1_501).toNanos();
  private static final long MEDIUM = Duration.ofMillis(700).toNanos();
  private static final long QUICK = Duration.ofMillis(149).toNanos();

  private final AtomicLong clock = new AtomicLong();
  private final Reach reach = new Reach(TIMEOUT, clock::get);

  /** A look that takes {@code nanos}; says how far it counted. */
  private int look(long nanos) {
    int counted =
        reach.count(
            most -> {
              clock.addAndGet(nanos);
              return most;
            });
    assertThat(reach.used()).isEqualTo(counted);
    return counted;
  }

  @Test
  void looks_thatAreQuick_goAsFarAsEver() {
    assertThat(look(QUICK)).isEqualTo(Reach.MOST);
    assertThat(look(QUICK)).isEqualTo(Reach.MOST);
  }

  @Test
  void looks_thatAreSlow_goLessFarEachTime_andNeverLessThanTheLeast() {
    assertThat(look(SLOW)).isEqualTo(100_000);
    assertThat(look(SLOW)).isEqualTo(10_000);
    assertThat(look(SLOW)).isEqualTo(Reach.LEAST);
    assertThat(look(SLOW)).isEqualTo(Reach.LEAST);
  }

  @Test
  void looks_thatAreQuickAgain_goFurther() {
    look(SLOW);
    look(SLOW);
    assertThat(look(QUICK)).isEqualTo(1_000);
    assertThat(look(QUICK)).isEqualTo(10_000);
    assertThat(look(QUICK)).isEqualTo(100_000);
  }

  /** Ten times as far would be ten times as long. */
  @Test
  void looks_thatAreNeither_stayWhereTheyAre() {
    assertThat(look(MEDIUM)).isEqualTo(100_000);
    assertThat(look(SLOW)).isEqualTo(100_000);
    assertThat(look(MEDIUM)).isEqualTo(10_000);
    assertThat(look(MEDIUM)).isEqualTo(10_000);
  }

  @Test
  void fallBack_goesToTheLeastAtOnce_andOnlyOnce() {
    assertThatThrownBy(
            () ->
                reach.count(
                    most -> {
                      throw new IllegalStateException("took too long");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(reach.fallBack()).isTrue();
    assertThat(look(MEDIUM)).isEqualTo(Reach.LEAST);
    assertThat(reach.fallBack()).isFalse();
  }
}
