package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;

class OffersTest {

  private static final Topic MAIL = new Topic("mail");
  private static final Topic ORDER = new Topic("order");

  private final ReleasedCandidates offers = new ReleasedCandidates();

  @Test
  void take_givesEachOnce_inClaimOrder_andLeavesTheRest() {
    offers.clear(List.of(MAIL, ORDER));
    offers.add(MAIL, candidate(9, 0));
    offers.add(MAIL, candidate(3, 1));
    offers.add(MAIL, candidate(4, 0));
    offers.add(ORDER, candidate(5, 0));

    assertThat(offers.take(MAIL, 2)).containsExactly(candidate(4, 0), candidate(9, 0));
    assertThat(offers.take(MAIL, 2)).containsExactly(candidate(3, 1));
    assertThat(offers.has(MAIL)).isFalse();
    assertThat(offers.take(MAIL, 2)).isEmpty();
    assertThat(offers.take(ORDER, 2)).containsExactly(candidate(5, 0));
  }

  @Test
  void poll_forgetsWhatItSees() {
    offers.clear(List.of(MAIL, ORDER));
    offers.add(MAIL, candidate(9, 0));
    offers.add(ORDER, candidate(5, 0));
    offers.clear(List.of(MAIL));
    assertThat(offers.has(MAIL)).isFalse();
    assertThat(offers.has(ORDER)).isTrue();
  }

  /** Such as one of a process that only produces. */
  @Test
  void topicThatNobodyLooksAt_keepsNothing() {
    offers.add(MAIL, candidate(9, 0));
    offers.clear(List.of(ORDER));
    offers.add(MAIL, candidate(8, 0));
    assertThat(offers.has(MAIL)).isFalse();
    assertThat(offers.take(MAIL, 2)).isEmpty();
  }

  @Test
  void moreThanAClaimTakes_areLeftToALook() {
    offers.clear(List.of(MAIL));
    for (int id = 1; id <= 1_000; id++) {
      offers.add(MAIL, candidate(id, 0));
    }
    assertThat(offers.take(MAIL, 1_000)).hasSize(500).startsWith(candidate(1, 0));
  }

  private static Candidate candidate(long id, int priority) {
    return new Candidate(id, (byte) priority, 0, 0);
  }
}
