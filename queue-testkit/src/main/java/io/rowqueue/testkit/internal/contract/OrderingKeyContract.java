package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.operate.MessageLocation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of ordering keys: {@link io.rowqueue.internal.order.Admission}. */
public interface OrderingKeyContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void key_isHandledOneByOne_inOrder() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b"), ofGroup("k", "c")));
    for (MessageId id : ids) {
      Claim claim = scene.claimOne();
      assertThat(claim.id()).isEqualTo(id);
      assertThat(claim.orderingKey()).isEqualTo("k");
      assertThat(scene.claimAll(Scene.OTHER)).isEmpty();
      scene.commit(tx -> queue().settler().ack(tx, claim));
    }
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void key_waitsForNoOtherKey() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(
            List.of(ofGroup("k", "a"), ofGroup("k", "b"), ofGroup("l", "c"), Scene.order("d")));
    scene.enqueue(NewMessage.of(Scene.MAILS, "mail").withOrderingKey("k"));
    assertThat(Scene.ids(scene.claimAll()))
        .containsExactlyInAnyOrder(ids.get(0), ids.get(2), ids.get(3));
    assertThat(scene.place(ids.get(1))).isEqualTo(MessageLocation.BLOCKED);
  }

  @Test
  default void key_whoseFirstIsRetried_waitsForIt() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b")));
    assertThat(queue().settler().retry(scene.claimOne(), Scene.ERROR, Scene.MINUTE)).isTrue();
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Scene.MINUTE);
    Claim again = scene.claimOne();
    assertThat(again.id()).isEqualTo(ids.get(0));
    assertThat(queue().settler().ackAll(List.of(again))).isEqualTo(1);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(1));
  }

  @Test
  default void key_whoseFirstIsReleasedOrReaped_keepsItsOrder() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b")));
    assertThat(queue().settler().release(scene.claimOne(), Duration.ZERO)).isTrue();
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(0));
    scene.loses(Scene.ME);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(0));
  }

  @Test
  default void key_whoseFirstIsADeadLetter_waitsUntilThatIsHandled() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b")));
    scene.dead(scene.claimOne());
    assertThat(scene.claimAll()).isEmpty();
    assertThat(queue().deadLetters().redrive(ids.get(0))).isTrue();
    Claim again = scene.claimOne();
    assertThat(again.id()).isEqualTo(ids.get(0));
    assertThat(queue().settler().ackAll(List.of(again))).isEqualTo(1);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(1));
  }

  @Test
  default void key_whoseFirstIsADiscardedDeadLetter_continues() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b")));
    scene.dead(scene.claimOne());
    assertThat(queue().deadLetters().discardAll(List.of(ids.get(0)))).isEqualTo(1);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(1));
  }

  @Test
  default void key_ofWhichOneMessageIsCancelled_continues() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(List.of(ofGroup("k", "a"), ofGroup("k", "b"), ofGroup("k", "c")));
    scene.tidy();
    queue().messages().cancel(ids.get(1));
    queue().messages().cancel(ids.get(0));
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void key_withADelayedMessage_isJoinedWhenItIsDue() {
    Scene scene = new Scene(queue());
    MessageId later = scene.enqueue(ofGroup("k", "later").withDelay(Scene.MINUTE));
    MessageId now = scene.enqueue(ofGroup("k", "now"));
    Claim claim = scene.claimOne();
    assertThat(claim.id()).isEqualTo(now);
    queue().advance(Scene.MINUTE);
    assertThat(scene.claimAll()).isEmpty();
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
    assertThat(scene.claimOne().id()).isEqualTo(later);
  }

  private static NewMessage ofGroup(String key, String payload) {
    return Scene.order(payload).withOrderingKey(key);
  }
}
