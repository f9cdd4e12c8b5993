package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.LockId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TrustTest {

  private static final LockId ONE = LockId.create("host", 1);
  private static final LockId OTHER = LockId.create("host", 2);

  /** Not zero: this clock begins anywhere. */
  private long now = -5;

  private final Trust trust = new Trust(Duration.ofSeconds(15), Duration.ofSeconds(5), () -> now);

  private void pass(double seconds) {
    now += (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void beforeTheFirstLife_nothingIsTrusted() {
    assertThat(trust.holder()).isNull();
    assertThat(trust.covers(ONE)).isFalse();
    assertThat(trust.mayJudge()).isFalse();
  }

  @Test
  void lease_isTrustedForATenthLessThanItLasts_fromWhenItWasAskedFor() {
    long asked = now;
    pass(13.4);
    trust.renewed(ONE, asked);
    assertThat(trust.holder()).isEqualTo(ONE);
    assertThat(trust.covers(OTHER)).isFalse();
    pass(0.2);
    assertThat(trust.holder()).isNull();
    assertThat(trust.covers(ONE)).isFalse();
  }

  @Test
  void lost_coversNothingUntilTheNextLife() {
    trust.renewed(ONE, now);
    trust.lost();
    assertThat(trust.covers(ONE)).isFalse();
    trust.renewed(OTHER, now);
    assertThat(trust.covers(OTHER)).isTrue();
    assertThat(trust.mayJudge()).as("nothing was between the two").isTrue();
  }

  @Test
  void firstLife_judgesAtOnce_andWhileItIsRenewedInTime() {
    for (int renewal = 0; renewal < 10; renewal++) {
      trust.renewed(ONE, now);
      assertThat(trust.mayJudge()).isTrue();
      pass(9.9);
      assertThat(trust.mayJudge()).isTrue();
    }
  }

  @Test
  void whoWasCutOff_letsTheOthersComeBackForALease() {
    trust.renewed(ONE, now);
    pass(10);
    assertThat(trust.mayJudge()).as("a peer's lease may be out by now").isFalse();
    for (int renewal = 0; renewal < 3; renewal++) {
      trust.renewed(ONE, now);
      assertThat(trust.mayJudge()).isFalse();
      pass(5);
    }
    trust.renewed(ONE, now);
    assertThat(trust.mayJudge()).isTrue();
  }

  @Test
  void whoWasCutOffAndDeclaredDead_waitsToo() {
    trust.renewed(ONE, now);
    pass(20);
    trust.lost();
    trust.renewed(OTHER, now);
    assertThat(trust.covers(OTHER)).isTrue();
    assertThat(trust.mayJudge()).isFalse();
  }
}
