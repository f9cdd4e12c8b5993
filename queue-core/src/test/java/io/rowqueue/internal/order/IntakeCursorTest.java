package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IntakeCursorTest {

  private static final long START = System.nanoTime();

  private final IntakeCursor mark = new IntakeCursor();

  @Test
  void whatWasAdmitted_isNotSearchedAgain_untilASecondHasPassed() {
    assertThat(mark.above(START)).isZero();
    mark.polled(List.of(3L, 5L), Set.of(3L, 5L));
    assertThat(mark.above(START)).isEqualTo(5);
    assertThat(mark.above(START + TimeUnit.SECONDS.toNanos(2))).isZero();
  }

  @Test
  void whatWasLeft_isSearchedAgain() {
    mark.polled(List.of(3L, 5L, 7L), Set.of(3L, 7L));
    assertThat(mark.above(START)).isEqualTo(4);
  }

  @Test
  void whereAllWasLeft_theNextPollGoesOnBehindIt() {
    mark.polled(List.of(3L, 5L), Set.of());
    assertThat(mark.above(START)).isEqualTo(5);
  }

  @Test
  void emptyPoll_leavesItWhereItWas() {
    mark.polled(List.of(3L), Set.of(3L));
    mark.polled(List.of(), Set.of());
    assertThat(mark.above(START)).isEqualTo(3);
  }
}
