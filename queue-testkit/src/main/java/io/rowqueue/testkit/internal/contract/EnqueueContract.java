package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of enqueuing. */
public interface EnqueueContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void enqueued_isAvailable_withAllItsProperties() {
    Scene scene = new Scene(queue());
    MessageId id =
        scene.enqueue(
            Scene.order("tea").withPriority(-5).withHeader("tenant", "ä").withHeader("b", "2"));
    QueuedMessage message = queue().poll().messages().get(0);
    assertThat(message.id()).isEqualTo(id.value());
    assertThat(message.topic()).isEqualTo("orders");
    assertThat(message.state()).isEqualTo(QueuedMessage.State.AVAILABLE);
    assertThat(message.payloadAs(String.class)).isEqualTo("tea");
    assertThat(message.headers()).isEqualTo(Map.of("tenant", "ä", "b", "2"));
    assertThat(message.priority()).isEqualTo(-5);
    assertThat(message.attempts()).isZero();
  }

  @Test
  default void enqueued_hasTheDatabasesTime() {
    Scene scene = new Scene(queue());
    queue().advance(Duration.ofHours(3));
    MessageDetails.Row row = scene.row(scene.enqueue(Scene.order("tea")));
    assertThat(row.createdAt()).isEqualTo(queue().now());
    assertThat(row.dueAt()).isEqualTo(queue().now());
    assertThat(row.counts()).isEqualTo(new MessageDetails.Counts(0, 0, 0));
    assertThat(row.worker()).isEmpty();
  }

  @Test
  default void enqueuedWithADelay_isScheduled() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea").withDelay(Duration.ofMinutes(90)));
    assertThat(scene.place(id)).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.row(id).dueAt()).isEqualTo(queue().now().plus(Duration.ofMinutes(90)));
  }

  @Test
  default void enqueuedForATime_isScheduledForIt() {
    Scene scene = new Scene(queue());
    Instant then = queue().now().plus(Duration.ofDays(400));
    MessageId id = scene.enqueue(Scene.order("tea").withDueAt(then));
    assertThat(scene.place(id)).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.row(id).dueAt()).isEqualTo(then);
  }

  @Test
  default void enqueuedForATimeThatHasPassed_isAvailable() {
    Scene scene = new Scene(queue());
    Instant then = queue().now().minus(Duration.ofHours(1));
    MessageId id = scene.enqueue(Scene.order("tea").withDueAt(then));
    assertThat(scene.place(id)).isEqualTo(MessageLocation.AVAILABLE);
  }

  @Test
  default void severalOfOneCall_haveGrowingIds() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(5);
    assertThat(ids).isSorted().doesNotHaveDuplicates().hasSize(5);
    assertThat(scene.enqueue(Scene.order("later"))).isGreaterThan(ids.get(4));
    assertThat(Scene.ids(scene.claimAll())).startsWith(ids.toArray(new MessageId[0]));
  }

  @Test
  default void severalOfOneCall_areAllRejected_ifOneIs() {
    Scene scene = new Scene(queue());
    List<NewMessage> messages =
        List.of(Scene.order("tea"), NewMessage.of(Scene.ORDERS, new Object()));
    scene.commit(
        tx ->
            assertThatThrownBy(() -> queue().producer().enqueueAll(tx.connection(), messages))
                .isInstanceOf(PayloadException.class));
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void rolledBackTransaction_enqueuesNothing() {
    Scene scene = new Scene(queue());
    scene.rollBack(tx -> queue().producer().enqueue(tx.connection(), Scene.order("tea")));
    assertThat(queue().poll().messages()).isEmpty();
    assertThat(scene.claimAll()).isEmpty();
  }

  @Test
  default void openTransaction_hidesItsMessages() {
    Scene scene = new Scene(queue());
    scene.commit(
        tx -> {
          queue().producer().enqueue(tx.connection(), Scene.order("tea"));
          assertThat(queue().poll().messages()).isEmpty();
        });
    assertThat(scene.claimAll()).hasSize(1);
  }

  @Test
  default void committedTransaction_enqueuesAllItsMessages() {
    Scene scene = new Scene(queue());
    scene.commit(
        tx -> {
          queue().producer().enqueue(tx.connection(), Scene.order("tea"));
          queue().producer().enqueue(tx.connection(), NewMessage.of(Scene.MAILS, "mail"));
        });
    assertThat(queue().poll().messages())
        .extracting(QueuedMessage::topic)
        .containsExactly("orders", "mails");
  }

  @Test
  default void largePayload_isReadWhole() {
    Scene scene = new Scene(queue());
    String large = "tea ".repeat(20_000);
    MessageId id = scene.enqueue(Scene.order(large));
    assertThat(queue().poll().messages().get(0).payloadAs(String.class)).isEqualTo(large);
    scene.dead(scene.claimOne());
    assertThat(queue().poll().deadLetters().get(0).payloadAs(String.class)).isEqualTo(large);
    assertThat(queue().deadLetters().redrive(id)).isTrue();
    assertThat(queue().poll().messages().get(0).payloadAs(String.class)).isEqualTo(large);
  }

  @Test
  default void headersAboveTheLimit_areRejected_withTheirWholeCall() {
    Scene scene = new Scene(queue());
    NewMessage much = Scene.order("tea").withHeader("large", "h".repeat(20_000));
    List<NewMessage> messages = List.of(Scene.order("tea"), much);
    scene.commit(
        tx ->
            assertThatThrownBy(() -> queue().producer().enqueueAll(tx.connection(), messages))
                .isInstanceOf(InvalidMessageException.class));
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void bytes_areStoredUnchanged() {
    Scene scene = new Scene(queue());
    byte[] bytes = {0, -1, 34, 127};
    scene.enqueue(NewMessage.of(Scene.ORDERS, bytes));
    assertThat(scene.claimOne().body().payload()).isEqualTo(bytes);
  }
}
