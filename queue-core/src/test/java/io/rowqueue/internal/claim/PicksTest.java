package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PicksTest {

  private static final byte P0 = 0;
  private static final byte P5 = 5;

  private static final List<Candidate> FOUND =
      List.of(
          new Candidate(1, P0, 0, 1),
          new Candidate(2, P0, 0, 0),
          new Candidate(3, P0, 0, 1),
          new Candidate(4, P0, 0, 0),
          new Candidate(9, P5, 0, 0));

  private static Selection<Candidate> picks(int limit, int mostAlone) {
    ClaimRequest request =
        new ClaimRequest(new Topic("t"), LockId.create("me", 1), limit, mostAlone);
    return Selection.of(request, FOUND, Candidate::lost);
  }

  private static List<Long> ids(List<Candidate> candidates) {
    return candidates.stream().map(Candidate::id).toList();
  }

  @Test
  void suspects_beyondWhatIsAllowed_areLeft() {
    assertThat(ids(picks(10, 1).kept())).containsExactly(1L, 2L, 4L, 9L);
    assertThat(ids(picks(10, 1).left())).containsExactly(3L);
    assertThat(ids(picks(10, 0).left())).containsExactly(1L, 3L);
  }

  @Test
  void limit_endsIt() {
    assertThat(ids(picks(2, 1).kept())).containsExactly(1L, 2L);
    assertThat(picks(2, 1).left()).isEmpty();
  }

  @Test
  void passed_isNothingBehindWhatWasLeft() {
    assertThat(Selection.passed(picks(10, 1), one -> true)).isEqualTo(Map.of(P0, 2L));
    assertThat(Selection.passed(picks(10, 2), one -> true)).isEqualTo(Map.of(P0, 4L, P5, 9L));
  }

  @Test
  void passed_isOnlyWhatWasClaimed() {
    assertThat(Selection.passed(picks(10, 2), one -> one.id() < 3)).isEqualTo(Map.of(P0, 2L));
  }
}
