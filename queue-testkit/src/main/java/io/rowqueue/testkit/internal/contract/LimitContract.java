package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.RateBuckets.Drawn;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of limits: {@link TopicSlots} and {@link RateBuckets} for topics, and {@link
 * io.rowqueue.internal.order.Admission} for ordering keys.
 */
public interface LimitContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void limitsOfATopic_areTheLastOnesSet() {
    TopicSettingsCache settings = queue().capacity(TopicSettingsCache.class);
    topics().change(Scene.ORDERS, set -> set.withMaxInFlight(3));
    topics().change(Scene.ORDERS, set -> set.withMaxPerSecond(50));
    settings.refresh(null);
    assertThat(settings.limits(Scene.ORDERS)).isEqualTo(new TopicLimits(3, 50));
    assertThat(settings.limits(Scene.MAILS)).isEqualTo(TopicLimits.NONE);
    topics().change(Scene.ORDERS, set -> set.withMaxInFlight(2));
    topics().change(Scene.ORDERS, set -> set.withMaxPerSecond(null));
    settings.refresh(null);
    assertThat(settings.limits(Scene.ORDERS)).isEqualTo(new TopicLimits(2, null));
    topics().change(Scene.ORDERS, set -> set.withMaxInFlight(null));
    settings.refresh(null);
    assertThat(settings.limits(Scene.ORDERS)).isEqualTo(TopicLimits.NONE);
  }

  @Test
  default void limitsOutOfRange_areRejected() {
    for (int most : new int[] {0, 1_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> topics().change(Scene.ORDERS, set -> set.withMaxInFlight(most)));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> topics().change(Scene.ORDERS, set -> set.withKeyInFlight(most)));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> topics().change(Scene.ORDERS, set -> set.withWeight(most)));
    }
    for (int most : new int[] {0, 1_000_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> topics().change(Scene.ORDERS, set -> set.withMaxPerSecond(most)));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> topics().change(Scene.ORDERS, set -> set.withKeyPerSecond(most)));
    }
    assertThat(topics().list()).isEmpty();
  }

  @Test
  default void slot_isHeldByOneWorker() {
    TopicSlots slots = madeSlots(3);
    assertThat(slots.take(Scene.ORDERS, Scene.ME, List.of(0, 1))).containsExactly(0, 1);
    assertThat(slots.take(Scene.ORDERS, Scene.OTHER, List.of(0, 1, 2))).containsExactly(2);
    assertThat(slots.take(Scene.ORDERS, Scene.ME, List.of(0, 1, 2))).isEmpty();
    assertHeld(Scene.ME, 0, 1);
    assertHeld(Scene.OTHER, 2);
    assertThat(slots.read(Scene.ORDERS).free(3)).isEmpty();
    assertThat(slots.read(Scene.MAILS).holders()).isEmpty();
  }

  @Test
  default void slot_isReleasedByItsHolderOnly() {
    TopicSlots slots = madeSlots(3);
    slots.take(Scene.ORDERS, Scene.ME, List.of(0, 1));
    slots.take(Scene.ORDERS, Scene.OTHER, List.of(2));
    assertThat(slots.release(Scene.ORDERS, Scene.ME, List.of(1, 2))).isOne();
    assertHeld(Scene.OTHER, 2);
    assertThat(slots.read(Scene.ORDERS).free(3)).containsExactly(1);
    assertThat(slots.take(Scene.ORDERS, Scene.OTHER, List.of(1))).containsExactly(1);
  }

  @Test
  default void slotsCreatedAgain_keepTheirHolders() {
    TopicSlots slots = madeSlots(2);
    slots.take(Scene.ORDERS, Scene.ME, List.of(1));
    slots.make(Scene.ORDERS, List.of(0, 1, 2, 3));
    assertHeld(Scene.ME, 1);
    assertThat(slots.read(Scene.ORDERS).free(4)).containsExactly(0, 2, 3);
    assertThat(slots.read(Scene.ORDERS).missing(5)).containsExactly(4);
  }

  @Test
  default void slotsOfDeadWorkers_areFreed_andThoseOfLiveOnesKept() {
    Scene scene = new Scene(queue());
    TopicSlots slots = madeSlots(3);
    slots.take(Scene.ORDERS, Scene.ME, List.of(0, 1));
    slots.take(Scene.ORDERS, Scene.OTHER, List.of(2));
    assertThat(slots.freeThoseOfTheDead(Scene.ORDERS)).isZero();
    queue().advance(Scene.LEASE.plusSeconds(1));
    assertThat(scene.renew(Scene.OTHER)).isTrue();
    queue().reaper().declareDead();
    assertThat(slots.freeThoseOfTheDead(Scene.ORDERS)).isEqualTo(2);
    assertThat(slots.read(Scene.ORDERS).free(3)).containsExactly(0, 1);
    assertHeld(Scene.OTHER, 2);
  }

  @Test
  default void bucket_holdsATenthOfASecond_andRefillsWithTime() {
    assertThat(draw(100, 50)).isEqualTo(new Drawn(5, Duration.ZERO));
    Drawn none = draw(100, 50);
    assertThat(none).isEqualTo(new Drawn(0, Duration.ofMillis(40)));
    queue().advance(none.pause());
    assertThat(draw(1, 50).messages()).isOne();
    assertThat(draw(100, 50).messages()).isOne();
    queue().advance(Scene.MINUTE);
    assertThat(draw(3, 50).messages()).isEqualTo(3);
    assertThat(draw(100, 50).messages()).isEqualTo(2);
    assertThat(draw(100, 50).messages()).isZero();
  }

  @Test
  default void bucketsOfTopics_areIndependent() {
    assertThat(draw(100, 10).messages()).isOne();
    assertThat(draw(100, 10).messages()).isZero();
    assertThat(queue().capacity(RateBuckets.class).draw(Scene.MAILS, 100, 10).messages()).isOne();
  }

  @Test
  default void bucketWithAChangedRate_refillsByTheNewOne() {
    assertThat(draw(100, 10).messages()).isOne();
    queue().advance(Duration.ofMillis(40));
    assertThat(draw(100, 10).messages()).isZero();
    assertThat(draw(100, 500).messages()).isEqualTo(20);
    queue().advance(Duration.ofMillis(99));
    assertThat(draw(100, 10).messages()).isZero();
    queue().advance(Duration.ofMillis(1));
    assertThat(draw(100, 10).messages()).isOne();
  }

  @Test
  default void keyWithCapacity_admitsSeveral_inOrder() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(2));
    List<MessageId> ids = line(scene, 4);
    MessageId other = scene.enqueue(Scene.order("x").withOrderingKey("l"));
    List<Claim> claims = scene.claimAll();
    assertThat(Scene.ids(claims)).containsExactlyInAnyOrder(ids.get(0), ids.get(1), other);
    assertThat(scene.claimAll(Scene.OTHER)).isEmpty();
    scene.ack(of(claims, ids.get(1)));
    Claim third = scene.claimOne();
    assertThat(third.id()).isEqualTo(ids.get(2));
    assertThat(queue().settler().ackAll(List.of(of(claims, ids.get(0)), third))).isEqualTo(2);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(3));
  }

  @Test
  default void messageInBackoff_freesItsSlot_andIsNextWhenDue() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(2));
    List<MessageId> ids = line(scene, 4);
    List<Claim> claims = scene.claimAll();
    Claim failing = of(claims, ids.get(0));
    assertThat(queue().settler().retry(failing, Scene.ERROR, Scene.MINUTE)).isTrue();
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
    queue().advance(Scene.MINUTE);
    assertThat(scene.claimAll()).isEmpty();
    scene.ack(of(claims, ids.get(1)));
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(0));
  }

  @Test
  default void deadLetter_holdsNoSlot_ofAKeyWithCapacity() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(2));
    List<MessageId> ids = line(scene, 3);
    scene.claimAll().forEach(scene::dead);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void raisedLimitOfAKey_admitsMore_whileOthersRun() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = line(scene, 4);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(0));
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(3));
    assertThat(Scene.ids(scene.claimAll())).containsExactlyInAnyOrder(ids.get(1), ids.get(2));
  }

  @Test
  default void loweredLimitOfAKey_admitsNone_untilEnoughHaveEnded() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(2));
    List<MessageId> ids = line(scene, 4);
    List<Claim> claims = scene.claimAll();
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(null));
    scene.ack(of(claims, ids.get(1)));
    assertThat(scene.claimAll()).isEmpty();
    scene.ack(of(claims, ids.get(0)));
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void keyWithARate_admitsTheNext_whenItIsDue() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyPerSecond(2));
    List<MessageId> ids = line(scene, 3);
    scene.ack(scene.claimOne());
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Duration.ofMillis(499));
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Duration.ofMillis(1));
    Claim second = scene.claimOne();
    assertThat(second.id()).isEqualTo(ids.get(1));
    queue().advance(Duration.ofMillis(500));
    assertThat(scene.claimAll()).as("one after the other all the same").isEmpty();
    scene.ack(second);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void keyWithARateAndCapacity_admitsATenthOfASecondAtOnce() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyInFlight(10));
    topics().change(Scene.ORDERS, set -> set.withKeyPerSecond(20));
    List<MessageId> ids = line(scene, 4);
    assertThat(Scene.ids(scene.claimAll())).containsExactlyInAnyOrder(ids.get(0), ids.get(1));
    queue().advance(Duration.ofMillis(50));
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void retry_countsTowardsTheRateOfItsKey() {
    Scene scene = new Scene(queue());
    topics().change(Scene.ORDERS, set -> set.withKeyPerSecond(1));
    List<MessageId> ids = line(scene, 1);
    Duration soon = Duration.ofMillis(100);
    assertThat(queue().settler().retry(scene.claimOne(), Scene.ERROR, soon)).isTrue();
    queue().advance(soon);
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Duration.ofMillis(900));
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(0));
  }

  private Topics topics() {
    return queue().capacity(Topics.class);
  }

  private TopicSlots madeSlots(int count) {
    TopicSlots slots = queue().capacity(TopicSlots.class);
    List<Integer> all = IntStream.range(0, count).boxed().toList();
    assertThat(slots.make(Scene.ORDERS, all)).isEqualTo(count);
    return slots;
  }

  private void assertHeld(LockId worker, Integer... slots) {
    assertThat(queue().capacity(TopicSlots.class).read(Scene.ORDERS).heldBy(worker))
        .isEqualTo(Set.of(slots));
  }

  private Drawn draw(int wanted, int perSecond) {
    return queue().capacity(RateBuckets.class).draw(Scene.ORDERS, wanted, perSecond);
  }

  private static List<MessageId> line(Scene scene, int count) {
    NewMessage message = Scene.order("tea").withOrderingKey("k");
    return scene.enqueueAll(Collections.nCopies(count, message));
  }

  private static Claim of(List<Claim> claims, MessageId id) {
    return claims.stream().filter(claim -> claim.id().equals(id)).findFirst().orElseThrow();
  }
}
