package io.rowqueue.internal.seal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.seal.KeyRing.KnownFault;
import org.junit.jupiter.api.Test;

class KnownFaultTest {

  private final KnownFault fault = new KnownFault(60);

  @Test
  void fault_thatLasts_isSaidOnceAMinute() {
    assertThat(fault.isToBeSaid("gone", 1_000)).isTrue();
    assertThat(fault.isToBeSaid("gone", 1_059)).isFalse();
    assertThat(fault.isToBeSaid("gone", 1_060)).isTrue();
    assertThat(fault.isToBeSaid("gone", 1_061)).isFalse();
  }

  @Test
  void fault_ofAnotherKind_isSaidAtOnce() {
    assertThat(fault.isToBeSaid("gone", 1_000)).isTrue();
    assertThat(fault.isToBeSaid("no keyset", 1_001)).isTrue();
  }

  @Test
  void end_isSaidOnce_andWhatFollowsIsNew() {
    assertThat(fault.isOver()).as("there was none").isFalse();
    assertThat(fault.isToBeSaid("gone", 1_000)).isTrue();
    assertThat(fault.isOver()).isTrue();
    assertThat(fault.isOver()).isFalse();
    assertThat(fault.isToBeSaid("gone", 1_001)).isTrue();
  }
}
