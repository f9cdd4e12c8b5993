package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** When it looks, by what the last look cost, and what is offered meanwhile. */
class PollScheduleTest {

  private static final Topic TOPIC = new Topic("mail");
  private static final Topic OTHER = new Topic("order");
  private static final List<Topic> OPEN = List.of(TOPIC);
  private static final Duration LONGEST = Duration.ofMillis(500);
  private static final Candidate CANDIDATE = new Candidate(7, (byte) 0, 0, 0);

  private final List<String> looks = new ArrayList<>();
  private final ReleasedCandidates offers = new ReleasedCandidates();
  private long millis;
  private long costMillis;

  @Test
  void cheapLooks_areNotSpared() {
    PollSchedule pollSchedule = behindTheFirst();
    offer(TOPIC);
    pollSchedule.poll(OPEN, false);
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
    assertThat(pollSchedule.wait(LONGEST)).isEqualTo(LONGEST);
  }

  /** What others enqueue there must not wait, and nothing would be claimed meanwhile. */
  @Test
  void dearLooks_atTopicsWithoutLines_areNotSpared() {
    PollSchedule pollSchedule = behindTheFirst();
    costMillis = 10;
    pollSchedule.poll(OPEN, false);
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
    assertThat(pollSchedule.wait(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  void dearLooks_takeAFifthOfTheTime_whereLinesGoOn() {
    PollSchedule pollSchedule = behindTheFirst();
    costMillis = 10;
    for (int i = 0; i < 100; i++) {
      offer(TOPIC);
      pollSchedule.poll(OPEN, false);
      millis += 1;
    }
    assertThat(looks).containsExactly("mail", "mail", "mail");
  }

  @Test
  void topicWithLines_isSparedWithItsOffersAlone_andOthersAreInspected() {
    PollSchedule pollSchedule = spared();
    offer(TOPIC);
    PollResult poll = pollSchedule.poll(List.of(TOPIC, OTHER), false);
    assertThat(looks).containsExactly("order");
    assertThat(poll.offered()).containsExactly(TOPIC);
    assertThat(poll.available()).containsExactly(TOPIC);
    assertThat(offers.take(TOPIC, 9)).containsExactly(CANDIDATE);
  }

  @Test
  void nothingOffered_isSearched_asSoonAsThatMayBe() {
    PollSchedule pollSchedule = spared();
    millis += 15;
    assertThat(pollSchedule.poll(OPEN, false).available()).isEmpty();
    assertThat(pollSchedule.wait(LONGEST)).isEqualTo(Duration.ofMillis(25));
    millis += 25;
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail");
  }

  @Test
  void offers_areForgottenByALookThatBegins() {
    PollSchedule pollSchedule = spared();
    offer(TOPIC);
    millis += 40;
    assertThat(pollSchedule.poll(OPEN, false).offered()).isEmpty();
    assertThat(offers.has(TOPIC)).isFalse();
  }

  @Test
  void offers_areForgottenByAWholePoll() {
    PollSchedule pollSchedule = spared();
    offer(TOPIC);
    pollSchedule.pollAgain();
    assertThat(pollSchedule.poll(OPEN, false).offered()).isEmpty();
    assertThat(looks).containsExactly("whole");
    assertThat(offers.has(TOPIC)).isFalse();
  }

  /** Its claims find them by themselves. */
  @Test
  void offers_ofATopicThatIsPlentiful_areLeft() {
    PollSchedule pollSchedule = spared();
    pollSchedule.claimed(TOPIC, true);
    offer(TOPIC);
    PollResult poll = pollSchedule.poll(OPEN, false);
    assertThat(poll.available()).containsExactly(TOPIC);
    assertThat(poll.offered()).isEmpty();
    assertThat(offers.has(TOPIC)).isTrue();
  }

  /** All of them have been handled, or other workers have them. */
  @Test
  void linesThatHaveEnded_spareNothingAnyMore() {
    PollSchedule pollSchedule = spared();
    millis += 1_100;
    pollSchedule.poll(OPEN, false);
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
  }

  @Test
  void whoWillNotPollAgain_looks() {
    PollSchedule pollSchedule = spared();
    pollSchedule.pollAllNow();
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail");
  }

  @Test
  void aServerThatStoodStill_sparesAFifthOfASecondAtMost() {
    PollSchedule pollSchedule = behindTheFirst();
    offer(TOPIC);
    costMillis = 900;
    pollSchedule.poll(OPEN, false);
    pollSchedule.poll(OPEN, false);
    assertThat(pollSchedule.wait(Duration.ofDays(1))).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void nothingToAskFor_isNoPoll() {
    PollSchedule pollSchedule = behindTheFirst();
    pollSchedule.poll(OPEN, false);
    pollSchedule.claimed(TOPIC, true);
    assertThat(pollSchedule.poll(OPEN, false).available()).containsExactly(TOPIC);
    pollSchedule.claimed(TOPIC, false);
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail", "mail");
  }

  /** As when every topic has used up its rate: whoever waits must not turn without rest. */
  @Test
  void nothingToAskFor_behindASparedPoll_isNoReasonToHurry() {
    PollSchedule pollSchedule = spared();
    pollSchedule.poll(OPEN, false);
    millis += 40;
    pollSchedule.poll(List.of(), false);
    assertThat(looks).isEmpty();
    assertThat(pollSchedule.wait(LONGEST)).isEqualTo(LONGEST);
  }

  /** Behind a look of 10 ms at a topic with lines. */
  private PollSchedule spared() {
    PollSchedule pollSchedule = behindTheFirst();
    offer(TOPIC);
    costMillis = 10;
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("mail");
    looks.clear();
    return pollSchedule;
  }

  private void offer(Topic topic) {
    offers.add(topic, CANDIDATE);
  }

  /** Behind its whole look, for an hour. */
  private PollSchedule behindTheFirst() {
    PollSchedule pollSchedule =
        new PollSchedule(
            new Looks(), offers, List::of, Duration.ofHours(1), () -> millis * 1_000_000);
    pollSchedule.poll(OPEN, false);
    assertThat(looks).containsExactly("whole");
    looks.clear();
    return pollSchedule;
  }

  /** Notes every look, and finds nothing; a close one takes its time. */
  private final class Looks implements ClaimStore {

    @Override
    public PollResult poll(Collection<Topic> topics) {
      looks.add(topics.stream().map(Topic::name).collect(Collectors.joining(" and ")));
      millis += costMillis;
      return PollResult.NOTHING;
    }

    @Override
    public PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside) {
      looks.add("whole");
      return PollResult.NOTHING;
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
    public int release(Collection<Claim> claims) {
      throw new AssertionError("nobody claims");
    }

    @Override
    public int reconcile(LockId lockId, Set<ClaimKey> known) {
      throw new AssertionError("nobody claims");
    }
  }
}
