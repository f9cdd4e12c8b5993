package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of {@link io.rowqueue.internal.settle.Settler}. */
public interface SettleContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void ack_deletesTheMessage() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.commit(tx -> queue().settler().ack(tx, claim));
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.UNKNOWN);
    assertThat(queue().poll().messages()).isEmpty();
    assertThat(queue().poll().deadLetters()).isEmpty();
  }

  @Test
  default void ack_isInvisibleBeforeItsCommit() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.commit(
        tx -> {
          queue().settler().ack(tx, claim);
          assertThat(queue().poll().messages())
              .extracting(QueuedMessage::state)
              .containsExactly(QueuedMessage.State.IN_FLIGHT);
        });
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void ack_thatIsRolledBack_leavesTheClaim() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
  }

  @Test
  default void ack_commitsWhatItsTransactionEnqueues() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.commit(
        tx -> {
          queue().producer().enqueue(tx.connection(), NewMessage.of(Scene.MAILS, "thanks"));
          queue().settler().ack(tx, claim);
        });
    assertThat(queue().poll().messages()).extracting(QueuedMessage::topic).containsExactly("mails");
  }

  @Test
  default void ack_ofALostClaim_isRefused_andItsTransactionHasNoEffect() {
    Scene scene = new Scene(queue());
    Claim stale = scene.claimed("tea");
    assertThat(queue().settler().release(stale, Duration.ZERO)).isTrue();
    Claim held = scene.claimOne();
    assertThatThrownBy(
            () ->
                scene.commit(
                    tx -> {
                      queue()
                          .producer()
                          .enqueue(tx.connection(), NewMessage.of(Scene.MAILS, "thanks"));
                      queue().settler().ack(tx, stale);
                    }))
        .isInstanceOf(ClaimLostException.class);
    assertThat(queue().poll().messages())
        .extracting(QueuedMessage::topic)
        .containsExactly("orders");
    assertThat(queue().settler().ackAll(List.of(held))).isEqualTo(1);
  }

  @Test
  default void ack_ofAnotherWorkersClaim_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    Claim others = Scene.heldBy(Scene.OTHER, claim);
    assertThatThrownBy(() -> scene.commit(tx -> queue().settler().ack(tx, others)))
        .isInstanceOf(ClaimLostException.class);
    assertThat(queue().settler().ackAll(List.of(others))).isZero();
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.IN_FLIGHT);
  }

  @Test
  default void ack_succeedsOnce() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
    assertThat(queue().settler().ackAll(List.of(claim))).isZero();
    assertThatThrownBy(() -> scene.commit(tx -> queue().settler().ack(tx, claim)))
        .isInstanceOf(ClaimLostException.class);
  }

  @Test
  default void ackOfABatch_withALostClaim_deletesNone() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().release(claims.get(1), Duration.ZERO)).isTrue();
    assertThatThrownBy(() -> scene.commit(tx -> queue().settler().ackAll(tx, claims)))
        .isInstanceOf(ClaimLostException.class);
    assertThat(queue().poll().messages()).hasSize(3);
  }

  @Test
  default void ackOfABatch_deletesAll() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> claims = scene.claimAll();
    scene.commit(tx -> queue().settler().ackAll(tx, claims));
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void acksWithoutTransaction_countHeldClaims() {
    Scene scene = new Scene(queue());
    scene.enqueue(4);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().release(claims.get(2), Duration.ZERO)).isTrue();
    assertThat(queue().settler().ackAll(claims)).isEqualTo(3);
    assertThat(queue().poll().messages())
        .extracting(QueuedMessage::id)
        .containsExactly(claims.get(2).id().value());
  }

  @Test
  default void retry_waits_andCountsTheAttempt() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    queue().advance(Duration.ofSeconds(2));
    Instant failed = queue().now();
    assertThat(queue().settler().retry(claim, Scene.ERROR, Scene.MINUTE)).isTrue();
    MessageDetails.Row row = scene.row(claim.id());
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(row.dueAt()).isEqualTo(failed.plus(Scene.MINUTE));
    assertThat(row.counts()).isEqualTo(new MessageDetails.Counts(1, 1, 0));
    assertThat(row.worker()).isEmpty();
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Scene.MINUTE);
    Claim again = scene.claimOne();
    assertThat(again.id()).isEqualTo(claim.id());
    assertThat(again.number()).isEqualTo(2);
    assertThat(again.attempts()).isEqualTo(1);
    assertThat(Scene.text(again)).isEqualTo("\"tea\"");
  }

  @Test
  default void retry_withoutADelay_isAvailableAtOnce() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().retry(claim, Scene.ERROR, Duration.ZERO)).isTrue();
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(scene.claimOne().attempts()).isEqualTo(1);
  }

  @Test
  default void retry_keepsEachFailure() {
    Scene scene = new Scene(queue());
    Claim first = scene.claimed("tea");
    assertThat(queue().settler().retry(first, Scene.ERROR, Duration.ZERO)).isTrue();
    Claim second = scene.claimOne(Scene.OTHER);
    queue().advance(Scene.MINUTE);
    AttemptError other = new AttemptError("java.lang.Error", "net", "at Net");
    assertThat(queue().settler().retry(second, other, Duration.ZERO)).isTrue();
    Instant now = queue().now();
    assertThat(scene.find(first.id()).failures())
        .containsExactly(
            new FailedAttempt(
                1,
                1,
                Scene.ME.value(),
                now.minus(Scene.MINUTE),
                "java.io.IOException",
                "disk",
                "at Disk"),
            new FailedAttempt(2, 2, Scene.OTHER.value(), now, "java.lang.Error", "net", "at Net"));
    assertThat(queue().poll().messages().get(0).lastError()).isEqualTo("java.lang.Error: net");
  }

  @Test
  default void retry_ofALostClaim_changesNothing() {
    Scene scene = new Scene(queue());
    Claim stale = scene.claimed("tea");
    assertThat(queue().settler().release(stale, Duration.ZERO)).isTrue();
    Claim held = scene.claimOne();
    assertThat(queue().settler().retry(stale, Scene.ERROR, Scene.MINUTE)).isFalse();
    assertThat(queue().settler().retry(Scene.heldBy(Scene.OTHER, held), Scene.ERROR, Scene.MINUTE))
        .isFalse();
    assertThat(scene.place(held.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(scene.find(held.id()).failures()).isEmpty();
    assertThat(scene.row(held.id()).counts()).isEqualTo(new MessageDetails.Counts(2, 0, 0));
  }

  @Test
  default void retry_succeedsOnce() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().retry(claim, Scene.ERROR, Duration.ZERO)).isTrue();
    assertThat(queue().settler().retry(claim, Scene.ERROR, Duration.ZERO)).isFalse();
    assertThat(scene.row(claim.id()).counts().attempts()).isEqualTo(1);
  }

  @Test
  default void release_isAvailableAtOnce_andCountsNoAttempt() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    Instant due = scene.row(claim.id()).dueAt();
    queue().advance(Scene.MINUTE);
    assertThat(queue().settler().release(claim, Duration.ZERO)).isTrue();
    MessageDetails.Row row = scene.row(claim.id());
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(row.counts()).isEqualTo(new MessageDetails.Counts(1, 0, 0));
    assertThat(row.dueAt()).isEqualTo(due);
    assertThat(row.worker()).isEmpty();
    assertThat(scene.find(claim.id()).failures()).isEmpty();
  }

  @Test
  default void release_withADelay_waits() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().release(claim, Scene.MINUTE)).isTrue();
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.row(claim.id()).dueAt()).isEqualTo(queue().now().plus(Scene.MINUTE));
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Scene.MINUTE);
    assertThat(scene.claimOne().attempts()).isZero();
  }

  @Test
  default void release_ofALostClaim_changesNothing() {
    Scene scene = new Scene(queue());
    Claim stale = scene.claimed("tea");
    assertThat(queue().settler().release(stale, Duration.ZERO)).isTrue();
    assertThat(queue().settler().release(stale, Scene.MINUTE)).isFalse();
    assertThat(scene.place(stale.id())).isEqualTo(MessageLocation.AVAILABLE);
    Claim held = scene.claimOne();
    assertThat(queue().settler().release(stale, Duration.ZERO)).isFalse();
    assertThat(queue().settler().release(Scene.heldBy(Scene.OTHER, held), Duration.ZERO)).isFalse();
    assertThat(scene.place(held.id())).isEqualTo(MessageLocation.IN_FLIGHT);
  }

  @Test
  default void releaseOfSeveral_countsHeldClaims() {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().ackAll(claims.subList(1, 2))).isEqualTo(1);
    assertThat(queue().settler().releaseAll(claims)).isEqualTo(2);
    assertThat(queue().settler().releaseAll(claims)).isZero();
    assertThat(scene.claimAll()).hasSize(2).allMatch(claim -> claim.attempts() == 0);
  }

  @Test
  default void deadLetter_movesTheMessage_withTheReason() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().retry(claim, Scene.ERROR, Duration.ZERO)).isTrue();
    Claim last = scene.claimOne(Scene.OTHER);
    queue().advance(Scene.MINUTE);
    AttemptError error = new AttemptError("java.lang.Error", "net", "at Net");
    assertThat(queue().settler().deadLetter(last, DeadLetterReason.ATTEMPTS_EXHAUSTED, error))
        .isTrue();
    assertThat(queue().poll().messages()).isEmpty();
    DeadLetter letter = queue().deadLetters().find(claim.id()).orElseThrow();
    assertThat(letter)
        .isEqualTo(
            new DeadLetter(
                claim.id(),
                Scene.ORDERS,
                DeadLetterReason.ATTEMPTS_EXHAUSTED,
                "java.lang.Error: net",
                2,
                2,
                0,
                claim.createdAt(),
                queue().now()));
    assertThat(queue().deadLetters().attempts(claim.id()))
        .extracting(FailedAttempt::attempt, FailedAttempt::errorMessage, FailedAttempt::worker)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(1, "disk", Scene.ME.value()),
            org.assertj.core.groups.Tuple.tuple(2, "net", Scene.OTHER.value()));
  }

  @Test
  default void deadLetter_ofALostClaim_changesNothing() {
    Scene scene = new Scene(queue());
    Claim stale = scene.claimed("tea");
    assertThat(queue().settler().release(stale, Duration.ZERO)).isTrue();
    Claim held = scene.claimOne();
    DeadLetterReason reason = DeadLetterReason.PERMANENT_FAILURE;
    assertThat(queue().settler().deadLetter(stale, reason, Scene.ERROR)).isFalse();
    assertThat(queue().settler().deadLetter(Scene.heldBy(Scene.OTHER, held), reason, Scene.ERROR))
        .isFalse();
    assertThat(queue().poll().deadLetters()).isEmpty();
    assertThat(scene.place(held.id())).isEqualTo(MessageLocation.IN_FLIGHT);
  }

  @Test
  default void cancelOfAClaim_deletesTheMessage_andLeavesNoDeadLetter() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().cancel(claim)).isTrue();
    assertThat(queue().settler().cancel(claim)).isFalse();
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.UNKNOWN);
    assertThat(queue().poll().deadLetters()).isEmpty();
  }

  @Test
  default void cancelOfALostClaim_changesNothing() {
    Scene scene = new Scene(queue());
    Claim stale = scene.claimed("tea");
    assertThat(queue().settler().release(stale, Duration.ZERO)).isTrue();
    assertThat(queue().settler().cancel(stale)).isFalse();
    assertThat(scene.place(stale.id())).isEqualTo(MessageLocation.AVAILABLE);
  }
}
