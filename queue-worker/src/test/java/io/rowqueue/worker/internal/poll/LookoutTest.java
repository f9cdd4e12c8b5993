package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.Offers;
import io.rowqueue.internal.claim.Survey;
import io.rowqueue.internal.database.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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
    offer(TOPIC);
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  /** What others enqueue there must not wait, and nothing would be claimed meanwhile. */
  @Test
  void dearLooks_atTopicsWithoutLines_areNotSpared() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  void dearLooks_takeAFifthOfTheTime_whereLinesGoOn() {
    Lookout lookout = behindTheFirst();
    costMillis = 10;
    for (int i = 0; i < 100; i++) {
      offer(TOPIC);
      lookout.look(OPEN, false);
      millis += 1;
    }
    assertThat(looks).containsExactly("mail", "mail", "mail");
  }

  @Test
  void topicWithLines_isSparedWithItsOffersAlone_andOthersAreLookedAt() {
    Lookout lookout = spared();
    offer(TOPIC);
    Survey survey = lookout.look(List.of(TOPIC, OTHER), false);
    assertThat(looks).containsExactly("order");
    assertThat(survey.offered()).containsExactly(TOPIC);
    assertThat(survey.available()).containsExactly(TOPIC);
    assertThat(offers.take(TOPIC, 9)).containsExactly(CANDIDATE);
  }

  @Test
  void nothingOffered_isLookedFor_asSoonAsThatMayBe() {
    Lookout lookout = spared();
    millis += 15;
    assertThat(lookout.look(OPEN, false).available()).isEmpty();
    assertThat(lookout.wait(LONGEST)).isEqualTo(Duration.ofMillis(25));
    millis += 25;
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail");
  }

  @Test
  void offers_areForgottenByALookThatBegins() {
    Lookout lookout = spared();
    offer(TOPIC);
    millis += 40;
    assertThat(lookout.look(OPEN, false).offered()).isEmpty();
    assertThat(offers.has(TOPIC)).isFalse();
  }

  @Test
  void offers_areForgottenByAWholeLook() {
    Lookout lookout = spared();
    offer(TOPIC);
    lookout.lookAgain();
    assertThat(lookout.look(OPEN, false).offered()).isEmpty();
    assertThat(looks).containsExactly("whole");
    assertThat(offers.has(TOPIC)).isFalse();
  }

  /** Its claims find them by themselves. */
  @Test
  void offers_ofATopicThatIsPlentiful_areLeft() {
    Lookout lookout = spared();
    lookout.claimed(TOPIC, true);
    offer(TOPIC);
    Survey survey = lookout.look(OPEN, false);
    assertThat(survey.available()).containsExactly(TOPIC);
    assertThat(survey.offered()).isEmpty();
    assertThat(offers.has(TOPIC)).isTrue();
  }

  /** All of them have been handled, or other workers have them. */
  @Test
  void linesThatHaveEnded_spareNothingAnyMore() {
    Lookout lookout = spared();
    millis += 1_100;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
  }

  @Test
  void whoWillNotLookAgain_looks() {
    Lookout lookout = spared();
    lookout.spareNothing();
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail");
  }

  @Test
  void aServerThatStoodStill_sparesAFifthOfASecondAtMost() {
    Lookout lookout = behindTheFirst();
    offer(TOPIC);
    costMillis = 900;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(lookout.wait(Duration.ofDays(1))).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void nothingToAskFor_isNoLook() {
    Lookout lookout = behindTheFirst();
    lookout.look(OPEN, false);
    lookout.claimed(TOPIC, true);
    assertThat(lookout.look(OPEN, false).available()).containsExactly(TOPIC);
    lookout.claimed(TOPIC, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
  }

  /** As when every topic has used up its rate: whoever waits must not turn without rest. */
  @Test
  void nothingToAskFor_behindASparedLook_isNoReasonToHurry() {
    Lookout lookout = spared();
    lookout.look(OPEN, false);
    millis += 40;
    lookout.look(List.of(), false);
    assertThat(looks).isEmpty();
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  /** Behind a look of 10 ms at a topic with lines. */
  private Lookout spared() {
    Lookout lookout = behindTheFirst();
    offer(TOPIC);
    costMillis = 10;
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("mail");
    looks.clear();
    return lookout;
  }

  private void offer(Topic topic) {
    offers.offer(topic, CANDIDATE);
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
      looks.add(topics.stream().map(Topic::name).collect(Collectors.joining(" and ")));
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
