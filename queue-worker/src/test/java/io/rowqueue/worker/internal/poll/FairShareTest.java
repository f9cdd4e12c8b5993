package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FairShareTest {

  @Test
  void excess_ofOneWhoHoldsAll_isHalf() {
    assertThat(FairShare.excess(10, 10, List.of())).isEqualTo(5);
    assertThat(FairShare.excess(1, 1, List.of())).isZero();
  }

  @Test
  void excess_whereAHolderHasLessThanItsShare_leavesOutNobodyElse() {
    assertThat(FairShare.excess(10, 8, List.of(2L))).isEqualTo(3);
    assertThat(FairShare.excess(10, 2, List.of(8L))).isZero();
  }

  @Test
  void excess_whereAllHoldTheirShare_isForAnotherWorker() {
    assertThat(FairShare.excess(10, 5, List.of(5L))).isEqualTo(1);
    assertThat(FairShare.excess(9, 5, List.of(4L))).isEqualTo(2);
  }

  /** Or two workers would pass the slots that do not divide to and fro. */
  @Test
  void whoHoldsItsShare_asksForNoMore() {
    assertThat(FairShare.least(10, List.of(5L))).isEqualTo(5);
    assertThat(FairShare.least(10, List.of(4L, 3L))).isEqualTo(3);
    assertThat(FairShare.least(1, List.of(1L))).isOne();
  }

  @Test
  void turns_areTakenWhereSlotsAreFewerThanWorkers() {
    assertThat(FairShare.isByTurns(1, List.of())).isTrue();
    assertThat(FairShare.isByTurns(2, List.of())).isFalse();
    assertThat(FairShare.isByTurns(2, List.of(1L))).isTrue();
  }
}
