package io.rowqueue.worker.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.Question;
import io.rowqueue.message.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where looks begin, by what the last one from the beginning cost. */
class LookoutTest {

  private static final Topic TOPIC = new Topic("mail");
  private static final List<Topic> OPEN = List.of(TOPIC);
  private static final Duration LONGEST = Duration.ofMillis(500);

  private final List<String> looks = new ArrayList<>();
  private long millis;
  private long costMillis;

  @Test
  void cheapLooks_allBeginAtTheBeginning() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 1;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("beginning", "beginning");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  void dearLooks_takeAFifthOfTheTime() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 10;
    for (int i = 0; i < 100; i++) {
      lookout.look(OPEN, false);
      millis += 1;
    }
    assertThat(looks.stream().filter("beginning"::equals)).hasSize(3);
    assertThat(looks.stream().filter("above"::equals)).hasSize(97);
  }

  @Test
  void nothingFoundAbove_isLookedForBelow_asSoonAsThatMayBe() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 10;
    lookout.look(OPEN, false);
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
    millis += 15;
    lookout.look(OPEN, false);
    assertThat(lookout.wait(LONGEST)).isEqualTo(Duration.ofMillis(25));
    millis += 25;
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("beginning", "above", "beginning");
  }

  @Test
  void whoWillNotLookAgain_looksFromTheBeginning() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.spareNothing();
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("beginning", "beginning");
  }

  @Test
  void aServerThatStoodStill_sparesNoLongerThanWholeLooksAreApart() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = Duration.ofMinutes(59).toMillis();
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(lookout.wait(Duration.ofDays(1))).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void nothingToAskFor_isNoLook() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.claimed(TOPIC, true);
    assertThat(lookout.look(OPEN, false).available()).containsExactly(TOPIC);
    lookout.claimed(TOPIC, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("beginning", "above");
  }

  /** As when every topic has used up its rate: whoever waits must not turn without rest. */
  @Test
  void nothingToAskFor_behindASparedLook_isNoReasonToHurry() {
    Lookout lookout = behindTheFirst(new Looks());
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    millis += 40;
    lookout.look(List.of(), false);
    assertThat(looks).containsExactly("beginning", "above");
    assertThat(lookout.wait(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  void aStrategyWithoutACursor_looksEverywhere() {
    Lookout lookout = behindTheFirst(request -> List.of());
    costMillis = 10;
    lookout.look(OPEN, false);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("beginning", "beginning");
  }

  /** Behind its whole look, for an hour. */
  private Lookout behindTheFirst(ClaimStrategy strategy) {
    Lookout lookout =
        new Lookout(new Looks(), strategy, List::of, Duration.ofHours(1), () -> millis * 1_000_000);
    lookout.look(OPEN, false);
    assertThat(looks).containsExactly("whole");
    looks.clear();
    return lookout;
  }

  /** Notes every look, and finds nothing; one from the beginning takes its time. */
  private final class Looks implements ClaimStore, ClaimStrategy {

    @Override
    public Survey survey(Collection<Topic> topics) {
      looks.add("beginning");
      millis += costMillis;
      return Survey.NOTHING;
    }

    @Override
    public Survey survey(Collection<Topic> topics, List<Question> aside) {
      looks.add("whole");
      return Survey.NOTHING;
    }

    @Override
    public Optional<Survey> lookAbove(List<Topic> topics) {
      looks.add("above");
      return Optional.of(Survey.NOTHING);
    }

    @Override
    public List<Claim> claim(ClaimRequest request) {
      throw new AssertionError("nobody claims");
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
