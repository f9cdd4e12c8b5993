package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BackPressure;
import io.rowqueue.NewMessage;
import io.rowqueue.TopicFullException;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The contract of back-pressure: {@link DepthSampler} and {@link BackPressure}. */
public interface DepthContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void topicWithoutALimit_isNeverFull() {
    Scene scene = new Scene(queue());
    scene.enqueue(5);
    assertThat(backPressure().isFull(Scene.ORDERS)).isFalse();
    assertThat(backPressure().sample(Scene.ORDERS)).isEmpty();
  }

  @Test
  default void topic_isFullAboveItsDepth_andFreeAgainWellBelowIt() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(10L));
    scene.enqueue(10);
    assertFull(false);
    scene.enqueue(Scene.order("one more"));
    assertFull(true);
    scene.claim(Scene.ME, 1);
    assertFull(true);
    scene.claim(Scene.ME, 1);
    assertFull(false);
  }

  @Test
  default void scheduledMessages_doNotCountTowardsTheDepth() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(1L));
    NewMessage later = Scene.order("tea").withDelay(Duration.ofHours(1));
    scene.enqueueAll(Collections.nCopies(5, later));
    assertFull(false);
  }

  @Test
  default void messagesBlockedByADeadLetter_countTowardsTheDepth() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(1L));
    scene.enqueueAll(Collections.nCopies(3, Scene.order("tea").withOrderingKey("k")));
    scene.dead(scene.claimOne());
    assertThat(scene.claimAll()).isEmpty();
    assertFull(true);
  }

  @Test
  default void topic_isFull_whileItsOldestMessageIsTooOld() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxAge(Scene.MINUTE));
    scene.enqueue(2);
    queue().advance(Duration.ofSeconds(30));
    assertFull(false);
    queue().advance(Duration.ofSeconds(20));
    assertFull(true);
    scene.claimAll();
    assertFull(false);
  }

  @Test
  default void topicWithBothLimits_isFullByBothOnly() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(1L));
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxAge(Scene.MINUTE));
    scene.enqueue(Scene.order("old"));
    queue().advance(Duration.ofMinutes(2));
    assertFull(false);
    scene.enqueue(Scene.order("new"));
    assertFull(true);
  }

  @Test
  default void fullTopic_rejectsProducersWithBackPressure_andTheirTransactionContinues() {
    Scene scene = full();
    BackPressure backPressure = backPressure();
    List<NewMessage> call = List.of(NewMessage.of(Scene.MAILS, "mail"), Scene.order("tea"));
    scene.commit(
        tx -> {
          assertThatThrownBy(
                  () ->
                      queue()
                          .producer()
                          .rejectingWhenFull(backPressure)
                          .enqueueAll(tx.connection(), call))
              .isInstanceOfSatisfying(
                  TopicFullException.class, e -> assertThat(e.topic()).isEqualTo(Scene.ORDERS));
          queue()
              .producer()
              .rejectingWhenFull(backPressure)
              .enqueueAll(tx.connection(), call.subList(0, 1));
        });
    assertThat(scene.payloads(Scene.ORDERS)).hasSize(2);
    assertThat(scene.payloads(Scene.MAILS)).containsExactly("mail");
    scene.enqueue(Scene.order("not asked"));
    assertThat(scene.payloads(Scene.ORDERS)).hasSize(3);
  }

  @Test
  default void removedLimit_admitsAllProducers() {
    full();
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(null));
    assertThat(backPressure().isFull(Scene.ORDERS)).isFalse();
  }

  private Scene full() {
    Scene scene = new Scene(queue());
    queue().capacity(Topics.class).change(Scene.ORDERS, set -> set.withMaxDepth(1L));
    scene.enqueue(2);
    assertFull(true);
    return scene;
  }

  /** A new instance, since an existing one caches its reading for a second. */
  private BackPressure backPressure() {
    return BackPressure.over(queue().capacity(DataSource.class));
  }

  private void assertFull(boolean full) {
    // Depths are not sampled again immediately after another sample.
    queue().advance(Duration.ofSeconds(11));
    TopicSettingsCache settings = queue().capacity(TopicSettingsCache.class);
    settings.refresh(null);
    assertThat(
            queue()
                .capacity(DepthSampler.class)
                .sample(
                    Scene.ORDERS,
                    settings.depthLimit(Scene.ORDERS),
                    Collections.emptyNavigableMap()))
        .isTrue();
    assertThat(backPressure().isFull(Scene.ORDERS)).isEqualTo(full);
  }
}
