package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of deduplication keys. */
public interface DeduplicationContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void keyHeldWhileWaiting_skipsTheNext() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k");
    EnqueueResult first = offer(scene, keyed("a", rule));
    EnqueueResult second = offer(scene, keyed("b", rule));
    assertThat(first.outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
    assertThat(second).isEqualTo(new EnqueueResult(first.id(), EnqueueResult.Outcome.DUPLICATE));
    assertThat(payloads()).containsExactly("a");
  }

  @Test
  default void keyHeldWhileWaiting_isFreeOnceItsMessageIsClaimed() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k");
    offer(scene, keyed("a", rule));
    Claim claim = scene.claimOne();
    assertThat(offer(scene, keyed("b", rule)).outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
    assertThat(payloads()).containsExactly("b");
  }

  @Test
  default void keyHeldWhileAlive_isFreeOnceItsMessageIsDeleted() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileAlive("k");
    offer(scene, keyed("a", rule));
    Claim claim = scene.claimOne();
    assertThat(offer(scene, keyed("b", rule)))
        .isEqualTo(new EnqueueResult(claim.id(), EnqueueResult.Outcome.DUPLICATE));
    assertThat(queue().settler().ackAll(List.of(claim))).isEqualTo(1);
    assertThat(offer(scene, keyed("c", rule)).outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
  }

  @Test
  default void keyOfARedrivenMessage_isHeldAgainUnlessAnotherTookIt() {
    for (boolean taken : List.of(false, true)) {
      Scene scene = new Scene(queue());
      Deduplication rule = Deduplication.whileAlive("k" + taken);
      offer(scene, keyed("a", rule));
      Claim claim = scene.claimOne();
      scene.dead(claim);
      if (taken) {
        EnqueueResult other = offer(scene, keyed("b", rule));
        assertThat(other.outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
      }
      assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
      EnqueueResult next = offer(scene, keyed("c", rule));
      assertThat(next.outcome()).isEqualTo(EnqueueResult.Outcome.DUPLICATE);
      assertThat(next.id().equals(claim.id())).isNotEqualTo(taken);
      scene.claimAll().forEach(scene::ack);
    }
  }

  @Test
  default void keyHeldForAWindow_isFreeAfterIt() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.within("k", Scene.MINUTE);
    EnqueueResult first = offer(scene, keyed("a", rule));
    assertThat(queue().settler().ackAll(List.of(scene.claimOne()))).isEqualTo(1);
    queue().advance(Scene.MINUTE.minusMillis(1));
    assertThat(offer(scene, keyed("b", rule)))
        .isEqualTo(new EnqueueResult(first.id(), EnqueueResult.Outcome.DUPLICATE));
    queue().advance(Duration.ofMillis(1));
    assertThat(offer(scene, keyed("c", rule)).outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
    assertThat(payloads()).containsExactly("c");
  }

  @Test
  default void keyThatIsHeld_rejectsOnRequest_andItsWholeCallIsUndone() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileAlive("k").refusing();
    MessageId first = offer(scene, keyed("a", rule)).id();
    List<NewMessage> call = List.of(Scene.order("x"), keyed("b", rule));
    DuplicateMessageException refusal = refusal(scene, call);
    assertThat(refusal).hasMessageContaining("message " + first);
    assertThat(refusal.topic()).isEqualTo(call.get(1).topic());
    assertThat(refusal.key()).isEqualTo("k");
    assertThat(refusal.first()).contains(first);
    assertThat(payloads()).containsExactly("a");
  }

  @Test
  default void keyOfTwoMessagesOfOneCall_rejectsItWithoutNamingAMessage() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileAlive("k").refusing();
    List<NewMessage> call = List.of(keyed("a", rule), keyed("b", rule));
    DuplicateMessageException refusal = refusal(scene, call);
    assertThat(refusal).hasMessageContaining("another message of the same call");
    assertThat(refusal.key()).isEqualTo("k");
    assertThat(refusal.first()).isEmpty();
    assertThat(payloads()).isEmpty();
  }

  /** Returns the error of {@code call}, in a transaction that is committed nevertheless. */
  private DuplicateMessageException refusal(Scene scene, List<NewMessage> call) {
    return scene.made(
        tx ->
            catchThrowableOfType(
                DuplicateMessageException.class,
                () -> queue().producer().enqueueAll(tx.connection(), call)));
  }

  @Test
  default void replacingKey_givesTheFirstItsContentAndDueTime() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k").replacing();
    EnqueueResult first = offer(scene, keyed("a", rule).withDelay(Scene.MINUTE));
    queue().advance(Duration.ofSeconds(30));
    EnqueueResult second =
        offer(scene, keyed("b", rule).withDelay(Scene.MINUTE).withPriority(3).withHeader("h", "1"));
    assertThat(second).isEqualTo(new EnqueueResult(first.id(), EnqueueResult.Outcome.REPLACED));
    assertThat(payloads()).containsExactly("b");
    assertThat(scene.row(first.id()).priority()).isEqualTo(3);
    assertThat(scene.row(first.id()).dueAt()).isEqualTo(queue().now().plus(Scene.MINUTE));
    assertThat(offer(scene, keyed("c", rule)).outcome()).isEqualTo(EnqueueResult.Outcome.REPLACED);
    Claim claim = scene.claimOne();
    assertThat(Scene.text(claim)).isEqualTo("\"c\"");
    assertThat(Headers.parse(claim.body().headers())).isEmpty();
    assertThat(scene.row(first.id()).priority()).isZero();
    assertThat(queue().settler().retry(claim, Scene.ERROR, Scene.MINUTE)).isTrue();
    assertThat(offer(scene, keyed("d", rule)))
        .isEqualTo(new EnqueueResult(first.id(), EnqueueResult.Outcome.REPLACED));
    assertThat(scene.claimOne().attempts()).isEqualTo(1);
  }

  @Test
  default void replacingKeyThatKeepsTheDueTime_isAThrottle() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k").replacing().keepingDueTime();
    MessageId id = offer(scene, keyed("a", rule).withDelay(Scene.MINUTE)).id();
    java.time.Instant due = scene.row(id).dueAt();
    queue().advance(Duration.ofSeconds(30));
    offer(scene, keyed("b", rule).withDelay(Scene.MINUTE));
    assertThat(scene.row(id).dueAt()).isEqualTo(due);
    assertThat(payloads()).containsExactly("b");
  }

  /** 'a' and 'a ' are equal for the column's collation, but different ordering keys. */
  @Test
  default void replacingKey_rejectsAnotherOrderingKey() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k").replacing();
    NewMessage first = keyed("a", rule).withOrderingKey("a");
    MessageId id = offer(scene, first).id();
    for (NewMessage other :
        List.of(keyed("b", rule), first.withOrderingKey("b"), first.withOrderingKey("a "))) {
      DuplicateMessageException refusal = refusal(scene, List.of(Scene.order("x"), other));
      assertThat(refusal).hasMessageContaining("another ordering key, batch or chain");
      assertThat(refusal.first()).contains(id);
      assertThat(refusal(scene, List.of(keyed("c", Deduplication.whileWaiting("l")), other)))
          .isNotNull();
    }
    List<NewMessage> call = List.of(keyed("x", Deduplication.whileWaiting("m").replacing()));
    assertThat(refusal(scene, List.of(call.get(0), call.get(0).withOrderingKey("b"))).first())
        .isEmpty();
    assertThat(payloads()).containsExactly("a");
    assertThat(offer(scene, keyed("d", rule).withOrderingKey("a")))
        .isEqualTo(new EnqueueResult(id, EnqueueResult.Outcome.REPLACED));
    assertThat(payloads()).containsExactly("d");
  }

  @Test
  default void keysOfOtherTopics_areIndependent() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileAlive("k");
    offer(scene, keyed("a", rule));
    assertThat(offer(scene, keyed("b", Deduplication.whileAlive("K"))).outcome())
        .isEqualTo(EnqueueResult.Outcome.INSERTED);
    assertThat(offer(scene, NewMessage.of(Scene.MAILS, "c").withDeduplication(rule)).outcome())
        .isEqualTo(EnqueueResult.Outcome.INSERTED);
  }

  @Test
  default void keyTwiceInOneCall_isOneMessage() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileAlive("k");
    List<MessageId> ids = scene.enqueueAll(List.of(keyed("a", rule), keyed("b", rule)));
    assertThat(ids.get(0)).isEqualTo(ids.get(1));
    assertThat(payloads()).containsExactly("a");
  }

  @Test
  default void keyOfATransactionThatRollsBack_isFree() {
    Scene scene = new Scene(queue());
    NewMessage message = keyed("a", Deduplication.whileAlive("k"));
    scene.rollBack(tx -> queue().producer().enqueue(tx.connection(), message));
    assertThat(offer(scene, message).outcome()).isEqualTo(EnqueueResult.Outcome.INSERTED);
  }

  private List<String> payloads() {
    return queue().poll().messages().stream()
        .map((QueuedMessage message) -> message.payloadAs(String.class))
        .toList();
  }

  private EnqueueResult offer(Scene scene, NewMessage message) {
    List<EnqueueResult> offers = new ArrayList<>();
    scene.commit(
        tx ->
            offers.addAll(
                queue().producer().enqueueAllWithResults(tx.connection(), List.of(message))));
    return offers.get(0);
  }

  private static NewMessage keyed(String payload, Deduplication rule) {
    return Scene.order(payload).withDeduplication(rule);
  }
}
