package io.rowqueue.worker.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.Candidate;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.LockId;
import io.rowqueue.claim.Offers;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.Question;
import io.rowqueue.message.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When it looks, by what the last look cost, and what is offered meanwhile. */
class LookoutTest {

  private static final Topic TOPIC = new Topic("mail");
  private static final Topic OTHER = new Topic("order");
  private static final List<Topic> OPEN = List.of(TOPIC);
  private static final Duration LONGEST = Duration.ofMillis(500);
  private static final Candidate CANDIDATE = new Candidate(7, (byte) 0, 0, 0);

  private final List<String> looks = new ArrayList<>();
  private final Offers offers = new Offers();
  private long millis;
  private long costMillis;

  @Test
  void cheapLooks_areNotSpared() {
    Lookout lookout = behindTheFirst();
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("close", "close");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  void dearLooks_takeAFifthOfTheTime() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    for (int i = 0; i < 100; i++) {
      lookout.look(OPEN, false);
      millis += 1;
    }
    assertThat(looks).containsExactly("close", "close", "close");
  }

  @Test
  void nothingOffered_isLookedFor_asSoonAsThatMayBe() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
    millis += 15;
    lookout.look(OPEN, false);
    assertThat(lookout.wait(LONGEST)).isEqualTo(Duration.ofMillis(25));
    millis += 25;
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("close", "close");
  }

  @Test
  void offers_areAllThatIsFound_whileLooksAreSpared_andEachOnce() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    offers.offer(TOPIC, CANDIDATE);
    offers.offer(OTHER, CANDIDATE);

    Survey survey = lookout.look(OPEN, false);

    assertThat(survey.ofOffers()).isTrue();
    assertThat(survey.available()).containsExactly(TOPIC);
    assertThat(survey.candidates()).containsExactly(Map.entry(TOPIC, List.of(CANDIDATE)));
    assertThat(lookout.look(OPEN, false).available()).isEmpty();
    assertThat(looks).containsExactly("close");
  }

  @Test
  void offers_areLeftToALookThatBegins() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    offers.offer(TOPIC, CANDIDATE);
    assertThat(lookout.look(OPEN, false)).isEqualTo(Survey.NOTHING);
    assertThat(lookout.look(OPEN, false).available()).isEmpty();
    assertThat(looks).containsExactly("close");
  }

  /** There may be more, and there may be nothing. */
  @Test
  void offersThatWereAllClaimed_doNotMakeATopicPlentiful() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    offers.offer(TOPIC, CANDIDATE);
    lookout.look(OPEN, false);
    lookout.claimed(TOPIC, true);
    millis += 40;
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("close", "close");
  }

  @Test
  void whatIsPlentiful_isClaimed_thoughLooksForOthersAreSpared() {
    Lookout lookout = behindTheFirst();
    List<Topic> both = List.of(TOPIC, OTHER);
    costMillis = 10;
    lookout.look(both, false);
    lookout.claimed(TOPIC, true);
    for (int i = 0; i < 3; i++) {
      assertThat(lookout.look(both, false).available()).containsExactly(TOPIC);
      lookout.claimed(TOPIC, true);
    }
    assertThat(looks).containsExactly("close");
  }

  @Test
  void whoWillNotLookAgain_looks() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.spareNothing();
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("close", "close");
  }

  @Test
  void aServerThatStoodStill_sparesNoLongerThanWholeLooksAreApart() {
    Lookout lookout = behindTheFirst();
    costMillis = Duration.ofMinutes(59).toMillis();
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(lookout.wait(Duration.ofDays(1))).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void nothingToAskFor_isNoLook() {
    Lookout lookout = behindTheFirst();
    lookout.look(OPEN, false);
    lookout.claimed(TOPIC, true);
    assertThat(lookout.look(OPEN, false).available()).containsExactly(TOPIC);
    lookout.claimed(TOPIC, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("close", "close");
  }

  /** As when every topic has used up its rate: whoever waits must not turn without rest. */
  @Test
  void nothingToAskFor_behindASparedLook_isNoReasonToHurry() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    millis += 40;
    lookout.look(List.of(), false);
    assertThat(looks).containsExactly("close");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  /** Behind its whole look, for an hour. */
  private Lookout behindTheFirst() {
    Lookout lookout =
        new Lookout(new Looks(), offers, List::of, Duration.ofHours(1), () -> millis * 1_000_000);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("whole");
    looks.clear();
    return lookout;
  }

  /** Notes every look, and finds nothing; a close one takes its time. */
  private final class Looks implements ClaimStore {

    @Override
    public Survey survey(Collection<Topic> topics) {
      looks.add("close");
      millis += costMillis;
      return Survey.NOTHING;
    }

    @Override
    public Survey survey(Collection<Topic> topics, List<Question> aside) {
      looks.add("whole");
      return Survey.NOTHING;
    }

    @Override
    public int promote(int limit) {
      throw new AssertionError("nothing is due");
    }

    @Override
    public void start(Claim claim) {
      throw new AssertionError("nobody claims");
    }

    @Override
    public Claim load(Claim claim) {
      throw new AssertionError("nobody claims");
    }

    @Override
    public int handBack(Collection<Claim> claims) {
      throw new AssertionError("nobody claims");
    }

    @Override
    public int reconcile(LockId lockId, Set<ClaimKey> known) {
      throw new AssertionError("nobody claims");
    }
  }
}
