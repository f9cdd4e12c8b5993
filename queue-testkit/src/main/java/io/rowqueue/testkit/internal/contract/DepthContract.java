package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.NewMessage;
import io.rowqueue.TopicOverfullException;
import io.rowqueue.TopicRoom;
import io.rowqueue.internal.depth.DepthJudge;
import io.rowqueue.internal.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** When a topic is overfull, by {@link DepthJudge}, and whom {@link TopicRoom} refuses then. */
public interface DepthContract {

  /** The queue of this test; the same in each call of one test. */
  ContractQueue queue();

  @Test
  default void topicWithoutALimit_hasRoom() {
    Scene scene = new Scene(queue());
    scene.enqueue(5);
    assertThat(room().isOverfull(Scene.ORDERS)).isFalse();
    assertThat(room().verdict(Scene.ORDERS)).isEmpty();
  }

  @Test
  default void topic_isOverfullBeyondItsDepth_andFreeAgainWellBelow() {
    Scene scene = new Scene(queue());
    queue().room(Topics.class).limitDepth(Scene.ORDERS, 10);
    scene.enqueue(10);
    assertOverfull(false);
    scene.enqueue(Scene.order("one more"));
    assertOverfull(true);
    scene.claim(Scene.ME, 1);
    assertOverfull(true);
    scene.claim(Scene.ME, 1);
    assertOverfull(false);
  }

  @Test
  default void messagesThatAreDueLater_takeNoRoom() {
    Scene scene = new Scene(queue());
    queue().room(Topics.class).limitDepth(Scene.ORDERS, 1);
    NewMessage later = Scene.order("tea").withDelay(Duration.ofHours(1));
    scene.enqueueAll(Collections.nCopies(5, later));
    assertOverfull(false);
  }

  @Test
  default void topic_isOverfull_whileItsOldestWaitsForTooLong() {
    Scene scene = new Scene(queue());
    queue().room(Topics.class).limitAge(Scene.ORDERS, Scene.MINUTE);
    scene.enqueue(2);
    queue().advance(Duration.ofSeconds(30));
    assertOverfull(false);
    queue().advance(Duration.ofSeconds(20));
    assertOverfull(true);
    scene.claimAll();
    assertOverfull(false);
  }

  @Test
  default void topicWithBothLimits_isOverfullByBothOnly() {
    Scene scene = new Scene(queue());
    queue().room(Topics.class).limitDepth(Scene.ORDERS, 1);
    queue().room(Topics.class).limitAge(Scene.ORDERS, Scene.MINUTE);
    scene.enqueue(Scene.order("old"));
    queue().advance(Duration.ofMinutes(2));
    assertOverfull(false);
    scene.enqueue(Scene.order("new"));
    assertOverfull(true);
  }

  @Test
  default void overfullTopic_refusesThoseWhoHeedIt_andTheirTransactionGoesOn() {
    Scene scene = overfull();
    TopicRoom room = room();
    List<NewMessage> call = List.of(NewMessage.of(Scene.MAILS, "mail"), Scene.order("tea"));
    scene.commit(
        tx -> {
          assertThatThrownBy(
                  () -> queue().producer().refusing(room).enqueueAll(tx.connection(), call))
              .isInstanceOfSatisfying(
                  TopicOverfullException.class, e -> assertThat(e.topic()).isEqualTo(Scene.ORDERS));
          queue().producer().refusing(room).enqueueAll(tx.connection(), call.subList(0, 1));
        });
    assertThat(scene.payloads(Scene.ORDERS)).hasSize(2);
    assertThat(scene.payloads(Scene.MAILS)).containsExactly("mail");
    scene.enqueue(Scene.order("not asked"));
    assertThat(scene.payloads(Scene.ORDERS)).hasSize(3);
  }

  @Test
  default void limitThatIsTakenAway_letsEverybodyIn() {
    overfull();
    queue().room(Topics.class).limitDepthNone(Scene.ORDERS);
    assertThat(room().isOverfull(Scene.ORDERS)).isFalse();
  }

  private Scene overfull() {
    Scene scene = new Scene(queue());
    queue().room(Topics.class).limitDepth(Scene.ORDERS, 1);
    scene.enqueue(2);
    assertOverfull(true);
    return scene;
  }

  /** Reads anew: one that is kept believes what it has read for a second. */
  private TopicRoom room() {
    return TopicRoom.over(queue().room(DataSource.class));
  }

  private void assertOverfull(boolean overfull) {
    // Nobody judges right behind another judgement.
    queue().advance(Duration.ofSeconds(11));
    TopicSettings settings = queue().room(TopicSettings.class);
    settings.refresh(null);
    assertThat(
            queue()
                .room(DepthJudge.class)
                .judge(
                    Scene.ORDERS,
                    settings.depthLimit(Scene.ORDERS),
                    Collections.emptyNavigableMap()))
        .isTrue();
    assertThat(room().isOverfull(Scene.ORDERS)).isEqualTo(overfull);
  }
}
