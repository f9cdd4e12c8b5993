package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ArrivalMarkTest {

  private static final long START = System.nanoTime();

  private final ArrivalMark mark = new ArrivalMark();

  @Test
  void whatWasAdmitted_isNotLookedForAgain_untilASecondHasPassed() {
    assertThat(mark.above(START)).isZero();
    mark.looked(List.of(3L, 5L), Set.of(3L, 5L));
    assertThat(mark.above(START)).isEqualTo(5);
    assertThat(mark.above(START + TimeUnit.SECONDS.toNanos(2))).isZero();
  }

  @Test
  void whatWasLeft_isLookedForAgain() {
    mark.looked(List.of(3L, 5L, 7L), Set.of(3L, 7L));
    assertThat(mark.above(START)).isEqualTo(4);
  }

  @Test
  void whereAllWasLeft_theNextLookGoesOnBehindIt() {
    mark.looked(List.of(3L, 5L), Set.of());
    assertThat(mark.above(START)).isEqualTo(5);
  }

  @Test
  void emptyLook_leavesItWhereItWas() {
    mark.looked(List.of(3L), Set.of(3L));
    mark.looked(List.of(), Set.of());
    assertThat(mark.above(START)).isEqualTo(3);
  }
}
