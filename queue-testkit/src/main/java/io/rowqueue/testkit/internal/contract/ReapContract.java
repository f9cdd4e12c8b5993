package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.reap.Reaper.Reaped;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link io.rowqueue.internal.reap.Reaper} and {@link
 * io.rowqueue.internal.reap.WorkerRegistry}.
 */
public interface ReapContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void lease_thatHasNotExpired_keepsItsClaims() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    queue().advance(Scene.LEASE.minusMillis(1));
    assertThat(queue().reaper().declareDead()).isZero();
    assertThat(queue().reaper().reap(Scene.MANY, Scene.MOST_LOST)).isEqualTo(new Reaped(0, 0));
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.IN_FLIGHT);
  }

  @Test
  default void lease_thatHasExpired_isDeclaredDead_andItsClaimsAreReleased() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    queue().advance(Duration.ofSeconds(10));
    assertThat(scene.renew(Scene.OTHER)).isTrue();
    queue().advance(Duration.ofSeconds(6));
    assertThat(queue().reaper().declareDead()).isEqualTo(1);
    assertThat(queue().reaper().reap(Scene.MANY, Scene.MOST_LOST)).isEqualTo(new Reaped(1, 0));
    MessageDetails.Row row = scene.row(claim.id());
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(row.counts()).isEqualTo(new MessageDetails.Counts(1, 0, 1));
    assertThat(row.worker()).isEmpty();
  }

  @Test
  default void lease_thatIsRenewed_staysValid() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    for (int i = 0; i < 3; i++) {
      queue().advance(Duration.ofSeconds(10));
      assertThat(scene.renew(Scene.ME)).isTrue();
      assertThat(scene.renew(Scene.OTHER)).isTrue();
    }
    assertThat(queue().reaper().declareDead()).isZero();
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
  }

  @Test
  default void leaseThatWasDeclaredDead_cannotBeRenewed() {
    Scene scene = new Scene(queue());
    queue().advance(Scene.LEASE.plusSeconds(1));
    assertThat(scene.renew(Scene.OTHER)).isTrue();
    assertThat(queue().reaper().declareDead()).isEqualTo(1);
    assertThat(scene.renew(Scene.ME)).isFalse();
    assertThat(scene.renew(Scene.OTHER)).isTrue();
  }

  @Test
  default void workerThatStopsOrderly_leavesItsClaimsToTheReaper() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().reaper().hasOrphans()).isFalse();
    queue().workers().deregister(Scene.ME);
    assertThat(queue().reaper().hasOrphans()).isTrue();
    assertThat(queue().reaper().reap(Scene.MANY, Scene.MOST_LOST).released()).isEqualTo(1);
    assertThat(queue().reaper().hasOrphans()).isFalse();
    assertThat(scene.claimOne(Scene.OTHER).id()).isEqualTo(claim.id());
  }

  @Test
  default void reap_keepsClaimsOfLiveWorkers() {
    Scene scene = new Scene(queue());
    scene.enqueue(2);
    Claim mine = scene.claim(Scene.ME, 1).get(0);
    Claim others = scene.claimOne(Scene.OTHER);
    assertThat(scene.loses(Scene.ME)).isEqualTo(new Reaped(1, 0));
    assertThat(scene.place(others.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(scene.place(mine.id())).isEqualTo(MessageLocation.AVAILABLE);
  }

  @Test
  default void reap_releasesNoMoreThanItsLimit() {
    Scene scene = new Scene(queue());
    scene.enqueue(5);
    scene.claimAll();
    queue().workers().deregister(Scene.ME);
    assertThat(queue().reaper().reap(3, Scene.MOST_LOST).total()).isEqualTo(3);
    assertThat(queue().reaper().reap(3, Scene.MOST_LOST).total()).isEqualTo(2);
  }

  @Test
  default void reaped_isClaimedUnderAHigherNumber_andItsOldOwnerIsRefused() {
    Scene scene = new Scene(queue());
    Claim old = scene.claimed("tea");
    scene.loses(Scene.ME);
    Claim held = scene.claimOne(Scene.OTHER);
    assertThat(held.number()).isEqualTo(2);
    assertThat(held.lost()).isEqualTo(1);
    assertThatThrownBy(() -> scene.commit(tx -> queue().settler().ack(tx, old)))
        .isInstanceOf(ClaimLostException.class);
    assertThat(queue().settler().ackAll(List.of(old))).isZero();
    assertThat(queue().settler().retry(old, Scene.ERROR, Duration.ZERO)).isFalse();
    assertThat(queue().settler().release(old, Duration.ZERO)).isFalse();
    assertThat(queue().settler().cancel(old)).isFalse();
    assertThat(queue().settler().deadLetter(old, DeadLetterReason.PERMANENT_FAILURE, Scene.ERROR))
        .isFalse();
    assertThat(queue().claims().release(List.of(old))).isZero();
    assertThat(scene.place(held.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(queue().settler().ackAll(List.of(held))).isEqualTo(1);
  }

  @Test
  default void reaped_andClaimedAgainByItsOldOwner_isAnotherClaim() {
    Scene scene = new Scene(queue());
    Claim old = scene.claimed("tea");
    scene.loses(Scene.ME);
    Claim again = scene.claimOne(Scene.ME);
    assertThat(queue().settler().ackAll(List.of(old))).isZero();
    assertThat(queue().settler().ackAll(List.of(again))).isEqualTo(1);
  }

  @Test
  default void reap_countsNoAttempt_andKeepsFailedAttempts() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().settler().retry(claim, Scene.ERROR, Duration.ZERO)).isTrue();
    scene.claimOne();
    scene.loses(Scene.ME);
    assertThat(scene.row(claim.id()).counts()).isEqualTo(new MessageDetails.Counts(2, 1, 1));
    assertThat(scene.find(claim.id()).failures()).hasSize(1);
  }

  @Test
  default void lostBeforeItsHandlerStarted_isNotCounted() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    for (int i = 0; i < 5; i++) {
      assertThat(scene.loses(Scene.ME)).isEqualTo(new Reaped(1, 0));
      scene.claimOne();
    }
    assertThat(scene.row(claim.id()).counts()).isEqualTo(new MessageDetails.Counts(6, 0, 1));
  }

  @Test
  default void lostAfterItsHandlerStarted_isCounted_andTheThirdTimeQuarantined() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(scene.loses(Scene.ME)).isEqualTo(new Reaped(1, 0));
    queue().claims().start(scene.claimOne());
    assertThat(scene.loses(Scene.ME)).isEqualTo(new Reaped(1, 0));
    queue().claims().start(scene.claimOne());
    assertThat(scene.loses(Scene.ME)).isEqualTo(new Reaped(0, 1));
    DeadLetter letter = queue().deadLetters().find(claim.id()).orElseThrow();
    assertThat(letter.reason()).isEqualTo(DeadLetterReason.CLAIMS_LOST);
    assertThat(letter.lost()).isEqualTo(3);
    assertThat(letter.attempts()).isZero();
    assertThat(letter.claims()).isEqualTo(3);
    assertThat(letter.detail()).startsWith("3 claims died with their workers");
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void newClaim_hasNotStartedItsHandler() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.loses(Scene.ME);
    queue().claims().start(scene.claimOne());
    scene.loses(Scene.ME);
    scene.claimOne();
    scene.loses(Scene.ME);
    assertThat(scene.row(claim.id()).counts().lost()).isEqualTo(2);
  }

  @Test
  default void deadWorker_withoutClaims_isRemoved() {
    Scene scene = new Scene(queue());
    scene.claimed("tea");
    queue().advance(Scene.LEASE.plusSeconds(1));
    scene.renew(Scene.OTHER);
    assertThat(queue().reaper().removeDead()).isZero();
    assertThat(queue().reaper().declareDead()).isEqualTo(1);
    assertThat(queue().reaper().removeDead()).isZero();
    assertThat(queue().reaper().reap(Scene.MANY, Scene.MOST_LOST).released()).isEqualTo(1);
    assertThat(queue().reaper().removeDead()).isEqualTo(1);
    assertThat(queue().reaper().removeDead()).isZero();
  }

  @Test
  default void expiredLease_isReported_whenItExpiresOrHasExpired() {
    Scene scene = new Scene(queue());
    assertThat(queue().reaper().hasSomeoneGone(Duration.ZERO)).isFalse();
    assertThat(queue().reaper().hasSomeoneGone(Scene.LEASE.plusSeconds(1))).isTrue();
    queue().advance(Scene.LEASE.plusSeconds(1));
    assertThat(queue().reaper().hasSomeoneGone(Duration.ZERO)).isTrue();
    scene.renew(Scene.ME);
    scene.renew(Scene.OTHER);
    assertThat(queue().reaper().hasSomeoneGone(Duration.ZERO)).isFalse();
  }

  @Test
  default void nextLeaseEnd_isTheEarliest() {
    Scene scene = new Scene(queue());
    queue().advance(Duration.ofSeconds(5));
    scene.renew(Scene.OTHER);
    assertThat(queue().reaper().nextLeaseEnd(Duration.ofSeconds(5))).isEmpty();
    assertThat(queue().reaper().nextLeaseEnd(Duration.ofSeconds(30)))
        .contains(Duration.ofSeconds(10));
    queue().advance(Duration.ofSeconds(12));
    assertThat(queue().reaper().nextLeaseEnd(Duration.ofSeconds(30))).contains(Duration.ZERO);
  }

  @Test
  default void worker_underANewLockId_ownsNoEarlierClaims() {
    Scene scene = new Scene(queue());
    Claim old = scene.claimed("tea");
    queue().advance(Scene.LEASE.plusSeconds(1));
    scene.renew(Scene.OTHER);
    queue().reaper().declareDead();
    LockId born = new LockId("me-1-again");
    scene.register(born);
    assertThat(scene.claimAll(born)).isEmpty();
    queue().reaper().reap(Scene.MANY, Scene.MOST_LOST);
    Claim held = scene.claimOne(born);
    assertThat(held.id()).isEqualTo(old.id());
    assertThat(queue().settler().ackAll(List.of(Scene.heldBy(born, old)))).isZero();
    assertThat(queue().settler().ackAll(List.of(held))).isEqualTo(1);
  }
}
