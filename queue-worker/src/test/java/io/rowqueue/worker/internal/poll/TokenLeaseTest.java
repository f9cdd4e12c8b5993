package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.internal.limit.RateBuckets.Drawn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenLeaseTest {

  private static final int PER_SECOND = 100;
  private static final int BURST = 10;

  private final List<Integer> requested = new ArrayList<>();
  private Drawn next = new Drawn(0, Duration.ZERO);
  private long now;
  private final TokenLease portion =
      new TokenLease(
          new Topic("limited"),
          (topic, wanted, perSecond) -> {
            requested.add(wanted);
            return next;
          },
          () -> now);

  private void offer(int messages) {
    next = new Drawn(messages, Duration.ofMillis(messages == 0 ? 20 : 0));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void admit_drawsNoMoreThanABurst_andOnlyWhatItLacks() {
    offer(BURST);
    assertThat(portion.admit(500, 0, PER_SECOND)).isEqualTo(BURST);
    portion.claimed(6);
    offer(2);
    assertThat(portion.admit(500, 0, PER_SECOND)).isEqualTo(6);
    assertThat(requested).containsExactly(BURST, 6);
  }

  @Test
  void admit_whileABurstWaitsForThreads_drawsNothing() {
    assertThat(portion.admit(500, BURST, PER_SECOND)).isZero();
    assertThat(requested).isEmpty();
    offer(4);
    assertThat(portion.admit(500, 6, PER_SECOND)).isEqualTo(4);
    assertThat(requested).containsExactly(4);
  }

  @Test
  void admit_whenThereIsNothing_drawsAgainWhenThereIs() {
    offer(0);
    assertThat(portion.admit(1, 0, PER_SECOND)).isZero();
    assertThat(portion.isDry()).isTrue();
    assertThat(portion.admit(1, 0, PER_SECOND)).isZero();
    assertThat(requested).hasSize(1);
    pass(Duration.ofMillis(20));
    assertThat(portion.isDry()).isFalse();
    offer(1);
    assertThat(portion.admit(1, 0, PER_SECOND)).isOne();
  }

  @Test
  void portion_thatIsOld_isForgotten() {
    offer(BURST);
    portion.admit(BURST, 0, PER_SECOND);
    portion.claimed(1);
    portion.released();
    pass(Duration.ofSeconds(1));
    offer(3);
    assertThat(portion.admit(BURST, 0, PER_SECOND)).isEqualTo(3);
    assertThat(requested).containsExactly(BURST, BURST);
  }

  @Test
  void admit_atNoRateAtAll_isNothing() {
    assertThat(portion.admit(1, 0, 0)).isZero();
    assertThat(requested).isEmpty();
  }
}
