package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.LockId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseStateTest {

  private static final LockId ONE = LockId.create("host", 1);
  private static final LockId OTHER = LockId.create("host", 2);

  /** Not zero: this clock begins anywhere. */
  private long now = -5;

  private final LeaseState leaseState =
      new LeaseState(Duration.ofSeconds(15), Duration.ofSeconds(5), () -> now);

  private void pass(double seconds) {
    now += (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void beforeTheFirstLife_nothingIsTrusted() {
    assertThat(leaseState.holder()).isNull();
    assertThat(leaseState.covers(ONE)).isFalse();
    assertThat(leaseState.mayReap()).isFalse();
  }

  @Test
  void lease_isTrustedForATenthLessThanItLasts_fromWhenItWasAskedFor() {
    long requested = now;
    pass(13.4);
    leaseState.renewed(ONE, requested);
    assertThat(leaseState.holder()).isEqualTo(ONE);
    assertThat(leaseState.covers(OTHER)).isFalse();
    pass(0.2);
    assertThat(leaseState.holder()).isNull();
    assertThat(leaseState.covers(ONE)).isFalse();
  }

  @Test
  void lost_coversNothingUntilTheNextLife() {
    leaseState.renewed(ONE, now);
    leaseState.expired();
    assertThat(leaseState.covers(ONE)).isFalse();
    leaseState.renewed(OTHER, now);
    assertThat(leaseState.covers(OTHER)).isTrue();
    assertThat(leaseState.mayReap()).as("nothing was between the two").isTrue();
  }

  @Test
  void firstLife_judgesAtOnce_andWhileItIsRenewedInTime() {
    for (int renewal = 0; renewal < 10; renewal++) {
      leaseState.renewed(ONE, now);
      assertThat(leaseState.mayReap()).isTrue();
      pass(9.9);
      assertThat(leaseState.mayReap()).isTrue();
    }
  }

  @Test
  void whoWasCutOff_letsTheOthersComeBackForALease() {
    leaseState.renewed(ONE, now);
    pass(10);
    assertThat(leaseState.mayReap()).as("a peer's lease may be out by now").isFalse();
    for (int renewal = 0; renewal < 3; renewal++) {
      leaseState.renewed(ONE, now);
      assertThat(leaseState.mayReap()).isFalse();
      pass(5);
    }
    leaseState.renewed(ONE, now);
    assertThat(leaseState.mayReap()).isTrue();
  }

  @Test
  void whoWasCutOffAndDeclaredDead_waitsToo() {
    leaseState.renewed(ONE, now);
    pass(20);
    leaseState.expired();
    leaseState.renewed(OTHER, now);
    assertThat(leaseState.covers(OTHER)).isTrue();
    assertThat(leaseState.mayReap()).isFalse();
  }
}
