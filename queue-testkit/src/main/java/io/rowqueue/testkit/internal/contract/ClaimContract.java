package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link io.rowqueue.internal.claim.ClaimStrategy} and {@link
 * io.rowqueue.internal.claim.ClaimStore}.
 */
public interface ClaimContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void claim_withoutMessages_isEmpty() {
    Scene scene = new Scene(queue());
    assertThat(scene.claimAll()).isEmpty();
    scene.enqueue(NewMessage.of(Scene.MAILS, "mail"));
    assertThat(scene.claimAll()).isEmpty();
  }

  @Test
  default void claim_ordersByPriority_thenById() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(
            List.of(
                Scene.order("a").withPriority(5),
                Scene.order("b"),
                Scene.order("c").withPriority(-128),
                Scene.order("d"),
                Scene.order("e").withPriority(127)));
    assertThat(Scene.ids(scene.claimAll()))
        .containsExactly(ids.get(2), ids.get(1), ids.get(3), ids.get(0), ids.get(4));
  }

  @Test
  default void claim_hasThePropertiesOfTheMessage() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea").withHeader("tenant", "7"));
    queue().advance(Duration.ofSeconds(1));
    Claim claim = scene.claimOne();
    assertThat(claim.id()).isEqualTo(id);
    assertThat(claim.topic()).isEqualTo(Scene.ORDERS);
    assertThat(claim.lockId()).isEqualTo(Scene.ME);
    assertThat(claim.number()).isEqualTo(1);
    assertThat(claim.attempts()).isZero();
    assertThat(claim.lost()).isZero();
    assertThat(claim.dueLater()).isFalse();
    assertThat(claim.createdAt()).isEqualTo(queue().now().minusSeconds(1));
    assertThat(claim.orderingKey()).isNull();
    assertThat(claim.batchId()).isNull();
    assertThat(Scene.text(claim)).isEqualTo("\"tea\"");
    assertThat(Headers.parse(claim.body().headers())).isEqualTo(Map.of("tenant", "7"));
  }

  @Test
  default void claimed_isInFlightWithItsWorker() {
    Scene scene = new Scene(queue());
    MessageId id = scene.claimed("tea").id();
    MessageDetails.Row row = scene.row(id);
    assertThat(scene.place(id)).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(row.worker()).isEqualTo(Scene.ME.value());
    assertThat(row.counts()).isEqualTo(new MessageDetails.Counts(1, 0, 0));
  }

  @Test
  default void claimed_cannotBeClaimedAgain() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    assertThat(scene.claimAll()).hasSize(3);
    assertThat(scene.claimAll()).isEmpty();
    assertThat(scene.claimAll(Scene.OTHER)).isEmpty();
  }

  @Test
  default void claim_takesNoMoreThanItsLimit() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(7);
    List<MessageId> taken = new ArrayList<>(Scene.ids(scene.claim(Scene.ME, 3)));
    assertThat(taken).hasSize(3);
    assertThat(queue().poll().messages()).hasSize(7);
    taken.addAll(Scene.ids(scene.claim(Scene.OTHER, 1)));
    assertThat(taken).hasSize(4);
    taken.addAll(Scene.ids(scene.claimAll()));
    assertThat(taken).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  default void concurrentClaimsOfTwoWorkers_areDisjoint() throws Exception {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(120);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture<Void> start = new CompletableFuture<>();
      Future<List<MessageId>> mine =
          threads.submit(() -> ClaimSteps.claimRest(start, scene, Scene.ME));
      Future<List<MessageId>> others =
          threads.submit(() -> ClaimSteps.claimRest(start, scene, Scene.OTHER));
      start.complete(null);
      List<MessageId> taken = new ArrayList<>(mine.get());
      taken.addAll(others.get());
      taken.addAll(Scene.ids(scene.claim(Scene.ME, Scene.MANY)));
      assertThat(taken).containsExactlyInAnyOrderElementsOf(ids);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  default void scheduled_isNotClaimedBeforeItsTime() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea").withDelay(Scene.MINUTE));
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Scene.MINUTE.minusMillis(1));
    assertThat(queue().claims().promote(Scene.MANY)).isZero();
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Duration.ofMillis(1));
    assertThat(queue().claims().promote(Scene.MANY)).isEqualTo(1);
    assertThat(Scene.ids(scene.claimAll())).containsExactly(id);
  }

  @Test
  default void promote_beginsWithTheOldestDue_upToItsLimit() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(
            List.of(
                Scene.order("a").withDelay(Duration.ofSeconds(3)),
                Scene.order("b").withDelay(Duration.ofSeconds(1)),
                Scene.order("c").withDelay(Duration.ofSeconds(2))));
    queue().advance(Duration.ofSeconds(5));
    assertThat(queue().claims().promote(2)).isEqualTo(2);
    assertThat(scene.place(ids.get(0))).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.place(ids.get(1))).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(scene.place(ids.get(2))).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(queue().claims().promote(2)).isEqualTo(1);
  }

  @Test
  default void promoted_comesBeforeYounger() {
    Scene scene = new Scene(queue());
    MessageId old = scene.enqueue(Scene.order("old").withDelay(Scene.MINUTE));
    MessageId young = scene.enqueue(Scene.order("young"));
    queue().advance(Scene.MINUTE);
    assertThat(Scene.ids(scene.claimAll())).containsExactly(old, young);
  }

  @Test
  default void claimNumber_growsWithEveryClaim() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    for (int number = 1; number <= 4; number++) {
      assertThat(claim.number()).isEqualTo(number);
      assertThat(queue().settler().release(claim, Duration.ZERO)).isTrue();
      claim = scene.claimOne(number % 2 == 0 ? Scene.ME : Scene.OTHER);
    }
    assertThat(claim.attempts()).isZero();
  }

  @Test
  default void claim_limitsMessagesWithLostClaims_andReadsBehindThem() {
    Scene scene = new Scene(queue());
    List<MessageId> suspects = scene.enqueue(3);
    assertThat(scene.claimAll()).hasSize(3);
    scene.loses(Scene.ME);
    assertThat(queue().strategy().claim(new ClaimRequest(Scene.ORDERS, Scene.ME, 20, 0))).isEmpty();
    MessageId other = scene.enqueue(Scene.order("innocent"));
    List<Claim> claims = queue().strategy().claim(new ClaimRequest(Scene.ORDERS, Scene.ME, 20, 1));
    assertThat(claims).hasSize(2).filteredOn(Claim::suspect).hasSize(1);
    assertThat(Scene.ids(claims)).contains(other);
    assertThat(queue().strategy().claim(new ClaimRequest(Scene.ORDERS, Scene.ME, 20, 0))).isEmpty();
    assertThat(scene.claimAll()).hasSize(2).allMatch(claim -> suspects.contains(claim.id()));
  }

  @Test
  default void claim_ofAMessageWithManyLostClaims_isAlone() {
    Scene scene = new Scene(queue());
    scene.enqueue(2);
    scene.claimAll();
    scene.loses(Scene.ME);
    assertThat(queue().strategy().claim(new ClaimRequest(Scene.ORDERS, Scene.ME, 20, 0, 2)))
        .hasSize(2);
  }

  @Test
  default void start_ofALostClaim_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    queue().claims().start(claim);
    assertThat(queue().settler().release(claim, Duration.ZERO)).isTrue();
    assertThatThrownBy(() -> queue().claims().start(claim)).isInstanceOf(ClaimLostException.class);
    Claim next = scene.claimOne();
    assertThatThrownBy(() -> queue().claims().start(claim)).isInstanceOf(ClaimLostException.class);
    queue().claims().start(next);
  }

  @Test
  default void load_readsThePayload() {
    Scene scene = new Scene(queue());
    scene.enqueue(Scene.order("tea").withHeader("tenant", "7"));
    Claim claim = scene.claimOne();
    Claim loaded = queue().claims().load(claim.withoutBody());
    assertThat(loaded.body().loaded()).isTrue();
    assertThat(Scene.text(loaded)).isEqualTo("\"tea\"");
    assertThat(Headers.parse(loaded.body().headers())).isEqualTo(Map.of("tenant", "7"));
    assertThat(loaded.number()).isEqualTo(claim.number());
  }

  @Test
  default void load_ofALostClaim_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea").withoutBody();
    assertThat(queue().settler().release(claim, Duration.ZERO)).isTrue();
    assertThatThrownBy(() -> queue().claims().load(claim)).isInstanceOf(ClaimLostException.class);
  }

  @Test
  default void releaseUnstarted_countsNoAttempt_andSkipsLostClaims() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().ackAll(claims.subList(0, 1))).isEqualTo(1);
    assertThat(queue().claims().release(claims)).isEqualTo(2);
    assertThat(queue().claims().release(claims)).isZero();
    assertThat(scene.claimAll())
        .hasSize(2)
        .allMatch(claim -> claim.number() == 2 && claim.attempts() == 0 && claim.lost() == 0);
  }

  @Test
  default void reconcile_releasesClaimsUnknownToTheirWorker() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> mine = scene.claim(Scene.ME, 2);
    Claim others = scene.claimOne(Scene.OTHER);
    assertThat(queue().claims().reconcile(Scene.ME, Set.of(ClaimKey.of(mine.get(0))))).isEqualTo(1);
    assertThat(scene.place(mine.get(0).id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(scene.place(mine.get(1).id())).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(scene.place(others.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(scene.row(mine.get(1).id()).counts()).isEqualTo(new MessageDetails.Counts(1, 0, 0));
  }

  @Test
  default void poll_findsTopicsWithAvailableMessages() {
    Scene scene = new Scene(queue());
    assertThat(queue().claims().poll(List.of(Scene.ORDERS, Scene.MAILS)).available()).isEmpty();
    scene.enqueue(Scene.order("tea"));
    scene.enqueue(NewMessage.of(Scene.MAILS, "mail").withDelay(Scene.MINUTE));
    assertThat(queue().claims().poll(List.of(Scene.ORDERS, Scene.MAILS)).available())
        .containsExactly(Scene.ORDERS);
    scene.claimAll();
    assertThat(queue().claims().poll(List.of(Scene.ORDERS, Scene.MAILS)).available()).isEmpty();
  }

  @Test
  default void poll_reportsDueMessages() {
    Scene scene = new Scene(queue());
    scene.enqueue(Scene.order("tea").withDelay(Scene.MINUTE));
    assertThat(queue().claims().poll(List.of(Scene.ORDERS), List.of()).due()).isFalse();
    queue().advance(Scene.MINUTE);
    PollResult poll = queue().claims().poll(List.of(Scene.ORDERS), List.of());
    assertThat(poll.due()).isTrue();
    assertThat(poll.available()).isEmpty();
  }

  @Test
  default void claimAfterAPoll_claimsCandidatesThatAreStillAvailable() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(3);
    PollResult poll = queue().claims().poll(List.of(Scene.ORDERS));
    ClaimRequest request = new ClaimRequest(Scene.ORDERS, Scene.ME, 20, 1).after(poll);
    Claim first = scene.claim(Scene.OTHER, 1).get(0);
    List<MessageId> rest = new ArrayList<>(ids);
    rest.remove(first.id());
    assertThat(Scene.ids(queue().strategy().claim(request)))
        .containsExactlyInAnyOrderElementsOf(rest);
    assertThat(queue().strategy().claim(request)).isEmpty();
  }
}
