package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
@ParameterizedClass(name = "{0}")
@EnumSource(Kind.class)
class ClaimContractIT {

  @Parameter private Kind kind = Kind.SKIP_LOCKED;

  private final LockId me = LockId.create("me", 1);
  private TestWorker parts;
  private ClaimStrategy strategy;

  @BeforeEach
  void oneStrategy(QueueDatabase database) {
    parts = ClaimScene.parts(database, kind);
    strategy = parts.get(ClaimStrategy.class);
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private List<Claim> claim(int limit) {
    return claim(limit, 1);
  }

  private List<Claim> claim(int limit, int suspects) {
    return strategy.claim(new ClaimRequest(ClaimScene.ORDER, me, limit, suspects));
  }

  private ClaimStore store() {
    return parts.get(ClaimStore.class);
  }

  @Test
  void afterALook_whatItFoundIsClaimed_inItsOrder(QueueDatabase database) {
    List<MessageId> ids = ClaimScene.enqueue(database, 5);
    database.execute("UPDATE queue_message SET priority = -1 WHERE id = " + ids.get(3));
    assertThat(ClaimScene.ids(claimAfter(poll(), 5)))
        .containsExactly(ids.get(3), ids.get(0), ids.get(1), ids.get(2), ids.get(4));
  }

  @Test
  void afterALook_thatOthersWereFasterThan_nothingIsClaimedTwice(QueueDatabase database) {
    List<MessageId> ids = ClaimScene.enqueue(database, 3);
    PollResult early = poll();
    List<MessageId> claimed = new ArrayList<>(ClaimScene.ids(claim(2)));
    assertThat(claimed).hasSize(2);
    claimed.addAll(ClaimScene.ids(claimAfter(early, 3)));
    assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(claimAfter(early, 3)).isEmpty();
  }

  @Test
  void afterALook_thatDidNotBringAll_theLimitIsReached(QueueDatabase database) {
    ClaimScene.enqueue(database, PollResult.MOST_CANDIDATES + 5);
    PollResult first = poll();
    assertThat(first.candidates().get(ClaimScene.ORDER)).hasSize(PollResult.MOST_CANDIDATES);
    int limit = PollResult.MOST_CANDIDATES + 2;
    assertThat(claimAfter(first, limit)).hasSize(limit);
  }

  @Test
  void afterALook_suspectsBeyondOneStay_andHoldNothingUp(QueueDatabase database) {
    List<MessageId> ids = ClaimScene.enqueue(database, 4);
    database.execute("UPDATE queue_message SET lost_claims = 1 WHERE id <= " + ids.get(1));
    assertThat(ClaimScene.ids(claimAfter(poll(), 4)))
        .containsExactlyInAnyOrder(ids.get(0), ids.get(2), ids.get(3));
  }

  @Test
  void poll_atMoreTopicsThanOneTextHoldsCandidatesOf_stillFindsThem(QueueDatabase database) {
    ClaimScene.enqueue(database, 1);
    List<Topic> many =
        Stream.concat(
                IntStream.range(0, 100).mapToObj(i -> new Topic("quiet" + i)),
                Stream.of(ClaimScene.ORDER))
            .toList();
    PollResult found = store().poll(many);
    assertThat(found.available()).containsExactly(ClaimScene.ORDER);
    assertThat(claimAfter(found, 1)).hasSize(1);
  }

  @Test
  void claim_ofAMessageThatTheServerRefuses_takesAllOthers(QueueDatabase database) {
    List<MessageId> others = new ArrayList<>(ClaimScene.enqueue(database, 5));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(
            database, "UPDATE ON queue_message", "OLD.id = " + others.remove(2).value())) {
      List<MessageId> claimed = new ArrayList<>(ClaimScene.ids(claim(5)));
      claimed.addAll(ClaimScene.ids(claim(5)));
      assertThat(claimed).containsExactlyInAnyOrderElementsOf(others);
    }
  }

  /** Others may lie before them. */
  @Test
  void offers_areAllThatIsClaimed_eachOnce(QueueDatabase database) {
    List<MessageId> ids = ClaimScene.enqueue(database, 6);
    List<Candidate> offers =
        Stream.of(2, 3, 5).map(i -> new Candidate(ids.get(i).value(), (byte) 0, 0, 0)).toList();
    ClaimRequest request = new ClaimRequest(ClaimScene.ORDER, me, 5, 1).among(offers);
    assertThat(ClaimScene.ids(strategy.claim(request)))
        .containsExactlyInAnyOrder(ids.get(2), ids.get(3), ids.get(5));
    assertThat(strategy.claim(request)).isEmpty();
    assertThat(ClaimScene.ids(claim(6)))
        .containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(4));
  }

  private PollResult poll() {
    return store().poll(List.of(new Topic("quiet"), ClaimScene.ORDER));
  }

  private List<Claim> claimAfter(PollResult poll, int limit) {
    return strategy.claim(new ClaimRequest(ClaimScene.ORDER, me, limit, 1).after(poll));
  }

  @Test
  void claimed_rowSaysWhoAndUnderWhichNumber(QueueDatabase database) {
    ClaimScene.enqueue(database, 2);
    database.execute(
        "UPDATE queue_message SET claim_number = 4, handler_started = 1, attempts = 2");
    List<Claim> claims = claim(2);

    assertThat(claims).hasSize(2).allMatch(claim -> claim.number() == 5 && claim.attempts() == 2);
    assertThat(
            database.strings(
                "SELECT DISTINCT CONCAT_WS(' ', state, lock_id, claim_number, handler_started,"
                    + " attempts, lost_claims) FROM queue_message"))
        .containsExactly("1 " + me + " 5 0 2 0");
  }

  @Test
  void bodies_areTheMessagesOwn(QueueDatabase database) {
    ClaimScene.enqueue(database, 3);
    assertThat(claim(3))
        .hasSize(3)
        .allSatisfy(
            claim ->
                assertThat(
                        new String(claim.body().payload(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(
                        database
                            .strings("SELECT payload FROM queue_message WHERE id = " + claim.id())
                            .get(0)));
  }

  /** At once without a cursor; with one, a priority that it does not know waits for its reset. */
  @Test
  void moreUrgent_enqueuedLater_overtakes(QueueDatabase database) {
    int others = 3_000;
    ClaimScene.enqueue(database, others);
    assertThat(claim(2)).hasSize(2);
    database.execute(
        "INSERT INTO queue_message (topic, payload, priority) VALUES ('order', '{\"number\":9}',"
            + " -1)");
    MessageId urgent = new MessageId(database.count("SELECT MAX(id) FROM queue_message"));
    int before = 0;
    while (!ClaimScene.ids(claim(1)).contains(urgent)) {
      before++;
      assertThat(before).as("claims of less urgent ones").isLessThan(others - 2);
    }
  }

  @Test
  void suspectsAtTheHead_oneAtATimeAndWhatLiesBehindPasses(QueueDatabase database) {
    List<MessageId> ids = ClaimScene.enqueue(database, 8);
    database.execute("UPDATE queue_message SET lost_claims = 1 WHERE id <= " + ids.get(2));

    // The optimistic strategy picks at random unless it asks for all.
    boolean loose = kind == Kind.OPTIMISTIC;
    List<Claim> claims = claim(loose ? 8 : 4);
    assertThat(claims.stream().filter(Claim::suspect)).hasSize(1);
    assertThat(claims).hasSize(loose ? 6 : 4);
    assertThat(claim(4, 0)).hasSize(loose ? 0 : 2).noneMatch(Claim::suspect);
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', state, lock_id, claim_number, lost_claims) FROM"
                    + " queue_message WHERE state = 0"))
        .containsExactly("0  0 1", "0  0 1");
    assertThat(claim(4)).hasSize(1).allMatch(Claim::suspect);
  }

  @Test
  void dueLater_isToldAndGoesBackAsScheduled(QueueDatabase database) {
    ClaimScene.enqueue(database, 1);
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at)"
            + " VALUES ('order', '{}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    List<Claim> early = claim(5).stream().filter(Claim::dueLater).toList();
    assertThat(early).hasSize(1);
    assertThat(store().release(early)).isEqualTo(1);
    assertThat(database.strings("SELECT state FROM queue_message ORDER BY id"))
        .containsExactly("1", "2");
  }

  @Test
  void enqueuedByAClockThatWasAhead_isDueThoughNobodyDelayedIt(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at, created_at, updated_at) SELECT 'order',"
            + " '{}', ahead, ahead, ahead"
            + " FROM (SELECT UTC_TIMESTAMP(6) + INTERVAL 2 HOUR AS ahead) AS wrong");
    assertThat(claim(1)).hasSize(1).noneMatch(Claim::dueLater);
    assertThat(store().reconcile(me, Set.of())).isOne();
    assertThat(database.strings("SELECT state FROM queue_message")).containsExactly("0");
  }

  @Test
  void largePayload_isClaimedAndNotLoaded(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 32769))",
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 32768))");
    List<Claim> claims = claim(2);
    assertThat(claims).extracting(claim -> claim.body().loaded()).containsExactly(false, true);
    assertThat(claims.get(0).body().waitingBytes()).isZero();
    assertThat(claims.get(0).body().payloadBytes()).isEqualTo(32769);
    assertThat(store().load(claims.get(0)).body().payload()).hasSize(32769);
  }

  @Test
  void releasedOrPromoted_belowWhatWasClaimed_isFoundWithinSeconds(QueueDatabase database) {
    ClaimScene.enqueue(database, 40);
    Claim low = claim(30).get(0);
    assertThat(parts.get(Settler.class).release(low, Duration.ZERO)).isTrue();
    // Fresh work keeps coming and keeps every claim full, so that only time brings a reset.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    Set<MessageId> seen = new HashSet<>();
    while (!seen.contains(low.id()) && System.nanoTime() < deadline) {
      ClaimScene.enqueue(database, 5);
      seen.addAll(ClaimScene.ids(claim(2)));
    }
    assertThat(seen).contains(low.id());
  }
}
