package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueuedMessage;
import java.lang.reflect.Modifier;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests every property of a message at every API that accepts messages: it is kept or rejected,
 * never dropped. The table is in {@code docs/guides/enqueuing.md}.
 */
public interface PropertyContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  /** Fails if a new property has no row in the table. */
  @Test
  default void everyProperty_isInTheTable() {
    assertThat(Stream.of(Property.values()).map(Property::field))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(NewMessage.class.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .map(java.lang.reflect.Field::getName)
                .toList());
  }

  @Test
  default void enqueued_keepsAllProperties() {
    assertKept(
        EnumSet.noneOf(Property.class),
        (scene, message) -> in(scene, tx -> queue().producer().enqueue(tx.connection(), message)));
  }

  @Test
  default void enqueuedWithOthers_keepsAllProperties() {
    assertKept(
        EnumSet.noneOf(Property.class),
        (scene, message) ->
            in(
                scene,
                tx ->
                    queue()
                        .producer()
                        .enqueueAll(
                            tx.connection(), List.of(message.withTopic(Scene.MAILS), message))));
  }

  @Test
  default void published_rejectsADeduplicationKey() {
    assertKept(
        EnumSet.of(Property.DEDUPLICATION),
        (scene, message) -> {
          Topic source = new Topic("source." + message.topic());
          queue().capacity(Subscriptions.class).subscribe(source.name(), message.topic().name());
          in(scene, tx -> queue().producer().publish(tx.connection(), message.withTopic(source)));
        });
  }

  @Test
  default void memberOfABatch_keepsAllProperties() {
    assertKept(
        EnumSet.noneOf(Property.class),
        (scene, message) ->
            in(
                scene,
                tx ->
                    queue()
                        .capacity(BatchProducer.class)
                        .enqueue(tx.connection(), BatchSettings.defaults(), List.of(message))));
  }

  @Test
  default void memberAddedByAHandler_rejectsKeys() {
    assertKept(EnumSet.of(Property.DEDUPLICATION, Property.ORDERING_KEY), this::added);
  }

  private void added(Scene scene, NewMessage message) {
    in(
        scene,
        tx ->
            queue()
                .capacity(BatchProducer.class)
                .enqueue(
                    tx.connection(), BatchSettings.defaults(), List.of(Scene.order("member"))));
    AtomicReference<QueueException> refusal = new AtomicReference<>();
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.ORDERS.name(),
                String.class,
                (payload, context) -> add(context, message, refusal),
                HandlerSettings.defaults()));
    assertThat(handling.handle(scene.claimOne())).isEqualTo(Outcome.ACKED);
    rethrow(refusal);
  }

  private static void add(
      HandlerContext context, NewMessage message, AtomicReference<QueueException> refusal) {
    try {
      context.batch().add(List.of(message));
    } catch (QueueException e) {
      refusal.set(e);
    }
  }

  @Test
  default void completionOfABatch_rejectsKeysAndTimes() {
    assertKept(
        EnumSet.of(Property.DUE_AT, Property.DELAY, Property.DEDUPLICATION, Property.ORDERING_KEY),
        (scene, message) -> {
          BatchSettings settings = BatchSettings.defaults().completingWith(message);
          in(
              scene,
              tx ->
                  queue()
                      .capacity(BatchProducer.class)
                      .enqueue(tx.connection(), settings, List.of()));
        });
  }

  @Test
  default void firstOfAChain_keepsAllProperties() {
    assertKept(
        EnumSet.noneOf(Property.class),
        (scene, message) ->
            in(
                scene,
                tx ->
                    queue()
                        .capacity(ChainProducer.class)
                        .enqueue(tx.connection(), Chain.of(message))));
  }

  @Test
  default void stepOfAChain_rejectsKeysAndADueTime() {
    assertKept(
        EnumSet.of(Property.DUE_AT, Property.DEDUPLICATION, Property.ORDERING_KEY),
        (scene, message) -> {
          Chain chain = Chain.of(Scene.order("first")).then(message);
          in(scene, tx -> queue().capacity(ChainProducer.class).enqueue(tx.connection(), chain));
          Claim first = scene.claimOne();
          scene.ack(first);
        });
  }

  @Test
  default void scheduled_rejectsKeysAndTimes() {
    assertKept(
        EnumSet.of(Property.DUE_AT, Property.DELAY, Property.DEDUPLICATION, Property.ORDERING_KEY),
        (scene, message) -> {
          Schedules schedules = queue().capacity(Schedules.class);
          String name = message.topic().name();
          schedules.set(Schedule.every(name, Scene.MINUTE).enqueues(message));
          queue().advance(Scene.MINUTE);
          assertThat(queue().capacity(ScheduleTrigger.class).triggerDue()).isOne();
          assertThat(schedules.remove(name)).isTrue();
        });
  }

  /** The key's rule is tested; a member of a batch is not replaced. */
  @Test
  default void replacing_rejectsAnotherOrderingKey() {
    assertKept(
        EnumSet.of(Property.ORDERING_KEY),
        (scene, message) -> {
          NewMessage first = NewMessage.of(message.topic(), "first").withDelay(Scene.MINUTE);
          in(
              scene,
              tx ->
                  queue()
                      .producer()
                      .enqueue(tx.connection(), first.withDeduplication(Property.RULE)));
          in(
              scene,
              tx ->
                  queue()
                      .producer()
                      .enqueue(tx.connection(), message.withDeduplication(Property.RULE)));
        });
  }

  /**
   * Passes a message with each property to an API, which keeps it unless it is in {@code refused}.
   */
  private void assertKept(Set<Property> refused, BiConsumer<Scene, NewMessage> place) {
    Scene scene = new Scene(queue());
    for (Property property : Property.values()) {
      Topic topic = new Topic("of." + property.name().toLowerCase(Locale.ROOT));
      NewMessage given = property.given(topic, queue().now());
      if (refused.contains(property)) {
        assertThatThrownBy(() -> place.accept(scene, given))
            .as("%s", property)
            .isInstanceOf(QueueException.class);
        assertThat(messages(topic)).as("%s", property).allMatch(PropertyContract::isReplaced);
      } else {
        place.accept(scene, given);
        assertKept(scene, property, topic);
      }
    }
  }

  private void assertKept(Scene scene, Property property, Topic topic) {
    List<QueuedMessage> found = messages(topic);
    assertThat(found).as("%s", property).hasSize(1);
    QueuedMessage message = found.get(0);
    NewMessage again = NewMessage.of(topic, "again").withDeduplication(Property.PROBE);
    boolean kept =
        property == Property.DEDUPLICATION
            ? offer(scene, again).id().value() == message.id()
            : property.isKept(message, scene.row(new MessageId(message.id())), queue().now());
    assertThat(kept).as("%s is kept", property).isTrue();
  }

  private EnqueueResult offer(Scene scene, NewMessage message) {
    return scene
        .made(tx -> queue().producer().enqueueAllWithResults(tx.connection(), List.of(message)))
        .get(0);
  }

  private List<QueuedMessage> messages(Topic topic) {
    return queue().poll().messages().stream()
        .filter(message -> message.topic().equals(topic.name()))
        .toList();
  }

  private static boolean isReplaced(QueuedMessage message) {
    return message.payloadAs(String.class).equals("first");
  }

  /** In a transaction that is committed, even if the message was rejected. */
  private static void in(Scene scene, Scene.Work work) {
    AtomicReference<QueueException> refusal = new AtomicReference<>();
    scene.commit(
        tx -> {
          try {
            work.in(tx);
          } catch (QueueException e) {
            refusal.set(e);
          }
        });
    rethrow(refusal);
  }

  private static void rethrow(AtomicReference<QueueException> refusal) {
    if (refusal.get() != null) {
      throw refusal.get();
    }
  }
}
