package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.NoSubscriptionException;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.QueuedMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of publishing: {@link Subscriptions}. */
public interface FanOutContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void published_isCopied_intoEachSubscribedTopic() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    NewMessage message =
        event("tea").withPriority(-3).withHeader("tenant", "ä").withDelay(Scene.MINUTE);
    Publication publication = publish(scene, message);
    assertThat(publication.source()).isEqualTo(new Topic("sold"));
    assertThat(publication.copies().keySet()).containsExactly(Scene.MAILS, Scene.ORDERS);
    assertThat(queue().poll().messages()).hasSize(2);
    for (QueuedMessage copy : queue().poll().messages()) {
      assertThat(publication.copies())
          .containsEntry(new Topic(copy.topic()), new MessageId(copy.id()));
      assertThat(copy.payloadAs(String.class)).isEqualTo("tea");
      assertThat(copy.priority()).isEqualTo(-3);
      assertThat(copy.headers()).containsEntry("tenant", "ä").containsEntry(Headers.SOURCE, "sold");
      assertThat(copy.state()).isEqualTo(QueuedMessage.State.SCHEDULED);
    }
  }

  @Test
  default void copies_areIndependent() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    publish(scene, event("tea"));
    scene.dead(scene.claimOne());
    assertThat(scene.payloads(Scene.MAILS)).containsExactly("tea");
    assertThat(queue().poll().deadLetters()).hasSize(1);
  }

  @Test
  default void publishedWithoutSubscriptions_isDropped_andCanBeRefused() {
    Scene scene = new Scene(queue());
    Publication publication = publish(scene, event("tea"));
    assertThat(publication.copies()).isEmpty();
    assertThat(queue().poll().messages()).isEmpty();
    assertThatThrownBy(publication::requireCopies)
        .isInstanceOf(NoSubscriptionException.class)
        .hasMessageContaining("'sold'");
  }

  @Test
  default void sourceThatIsATopic_getsACopyOnlyIfItIsSubscribed_andNoneIsPublishedAgain() {
    Scene scene = new Scene(queue());
    subscriptions().subscribe("orders", "mails");
    subscriptions().subscribe("mails", "orders");
    publish(scene, Scene.order("tea"));
    assertThat(scene.payloads(Scene.MAILS)).containsExactly("tea");
    assertThat(scene.payloads(Scene.ORDERS)).isEmpty();
  }

  @Test
  default void pausedOrRemovedSubscription_getsNoCopies_andKeepsEarlierOnes() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    publish(scene, event("a"));
    assertThat(subscriptions().pause("sold", "orders")).isTrue();
    assertThat(subscriptions().unsubscribe("sold", "mails")).isTrue();
    assertThat(publish(scene, event("b")).copies()).isEmpty();
    assertThat(subscriptions().resume("sold", "orders")).isTrue();
    publish(scene, event("c"));
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("a", "c");
    assertThat(scene.payloads(Scene.MAILS)).containsExactly("a");
    assertThat(subscriptions().unsubscribe("sold", "mails")).isFalse();
    assertThat(subscriptions().pause("sold", "mails")).isFalse();
    assertThat(subscriptions().resume("sold", "mails")).isFalse();
  }

  @Test
  default void subscribedTwice_isOneSubscription_andStaysPaused() {
    subscribe("orders", "mails");
    subscriptions().pause("sold", "orders");
    subscribe("orders");
    List<Subscription> declared =
        List.of(Subscription.of("sold", "orders"), Subscription.of("sold", "third"));
    assertThat(subscriptions().declare(declared)).isOne();
    assertThat(subscriptions().declare(declared)).isZero();
    assertThat(subscriptions().list())
        .containsExactly(
            new SubscriptionDetails("sold", "mails", false),
            new SubscriptionDetails("sold", "orders", true),
            new SubscriptionDetails("sold", "third", false));
    assertThat(subscriptions().topics("sold")).containsExactly(Scene.MAILS, new Topic("third"));
    assertThat(subscriptions().topics("other")).isEmpty();
  }

  @Test
  default void publicationOfARolledBackTransaction_doesNotExist() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    scene.rollBack(tx -> queue().producer().publish(tx.connection(), event("tea")));
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void severalOfOneCall_reachTheirOwnTopics_allOrNone() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    subscriptions().subscribe("billed", "mails");
    List<NewMessage> messages = List.of(event("a"), NewMessage.of("billed", "b"), event("c"));
    Publications made = scene.made(tx -> queue().producer().publishAll(tx.connection(), messages));
    assertThat(made.copies()).isEqualTo(5);
    assertThat(made.all()).extracting(each -> each.copies().size()).containsExactly(2, 1, 2);
    assertThat(scene.payloads(Scene.MAILS)).containsExactlyInAnyOrder("a", "b", "c");
    List<NewMessage> refused =
        List.of(event("d"), event("e").withHeader("large", "h".repeat(20_000)));
    scene.commit(
        tx ->
            assertThatThrownBy(() -> queue().producer().publishAll(tx.connection(), refused))
                .isInstanceOf(InvalidMessageException.class));
    assertThat(queue().poll().messages()).hasSize(5);
  }

  @Test
  default void publicationUnderADeduplicationKey_isRefused() {
    Scene scene = new Scene(queue());
    subscribe("orders", "mails");
    NewMessage keyed = event("tea").withDeduplication(Deduplication.whileAlive("k"));
    scene.commit(
        tx ->
            assertThatThrownBy(() -> queue().producer().publish(tx.connection(), keyed))
                .isInstanceOf(InvalidMessageException.class));
    assertThat(queue().poll().messages()).isEmpty();
  }

  private Subscriptions subscriptions() {
    return queue().capacity(Subscriptions.class);
  }

  private void subscribe(String... topics) {
    for (String topic : topics) {
      subscriptions().subscribe("sold", topic);
    }
  }

  private static NewMessage event(String payload) {
    return NewMessage.of("sold", payload);
  }

  private Publication publish(Scene scene, NewMessage message) {
    return scene.made(tx -> queue().producer().publish(tx.connection(), message));
  }
}
