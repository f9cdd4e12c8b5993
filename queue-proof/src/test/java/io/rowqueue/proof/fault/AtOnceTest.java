package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.Journal.Handling;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AtOnceTest {

  private static final List<Handling> THREE =
      List.of(handling(1, 10, 100), handling(2, 20, 100), handling(3, 30, 100));

  private static Handling handling(long pid, long begin, long end) {
    return new Handling(pid, pid, 1, 1, begin, end, "returned");
  }

  @Test
  void asManyAsMay_areNoFinding() {
    assertThat(AtOnce.moreThan(3, THREE, List.of())).isEmpty();
    assertThat(AtOnce.moreThan(1, List.of(handling(1, 10, 20), handling(2, 20, 30)), List.of()))
        .isEmpty();
  }

  @Test
  void oneTooMany_isAFinding_unlessAFaultExplainsIt() {
    assertThat(AtOnce.moreThan(2, THREE, List.of())).hasSize(1);
    for (long victim = 1; victim <= 3; victim++) {
      assertThat(AtOnce.moreThan(2, THREE, List.of(new Strike(5, 6, Set.of(victim)))))
          .as("victim " + victim)
          .isEmpty();
    }
    assertThat(AtOnce.moreThan(2, THREE, List.of(new Strike(5, 6, Set.of(4L))))).hasSize(1);
    assertThat(AtOnce.moreThan(2, THREE, List.of(new Strike(40, 50, Set.of(1L))))).hasSize(1);
  }
}
