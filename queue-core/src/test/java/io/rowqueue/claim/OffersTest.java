package io.rowqueue.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.message.Topic;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OffersTest {

  private static final Topic MAIL = new Topic("mail");
  private static final Topic ORDER = new Topic("order");

  private final Offers offers = new Offers();

  @Test
  void take_givesEachOnce_inClaimOrder_toWhomItIsFor() {
    offers.offer(MAIL, candidate(9, 0));
    offers.offer(MAIL, candidate(3, 1));
    offers.offer(MAIL, candidate(4, 0));
    offers.offer(ORDER, candidate(5, 0));

    assertThat(offers.take(List.of(MAIL, new Topic("other"))))
        .isEqualTo(Map.of(MAIL, List.of(candidate(4, 0), candidate(9, 0), candidate(3, 1))));
    assertThat(offers.take(List.of(MAIL, ORDER)))
        .isEqualTo(Map.of(ORDER, List.of(candidate(5, 0))));
  }

  /** A claim takes as many as all that there are only if they are fewer than a look sees. */
  @Test
  void moreThanALookSees_areLeftToALook() {
    for (int id = 1; id <= 100; id++) {
      offers.offer(MAIL, candidate(id, 0));
    }
    assertThat(offers.take(List.of(MAIL)).get(MAIL)).hasSize(Survey.MOST_CANDIDATES - 1);
  }

  private static Candidate candidate(long id, int priority) {
    return new Candidate(id, (byte) priority, 0, 0);
  }
}
