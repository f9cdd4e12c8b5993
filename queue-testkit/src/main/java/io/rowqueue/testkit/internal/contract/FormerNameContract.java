package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/**
 * The contract of topic aliases: a renamed topic's handler also processes messages of the old name,
 * and everything that is stored by topic uses the name under which they were enqueued.
 */
public interface FormerNameContract {

  /** The former name of {@code orders}. */
  Topic FORMER = new Topic("purchases");

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void messageOfTheFormerName_isHandledByTheNewBinding() {
    Scene scene = new Scene(queue());
    scene.enqueueAll(List.of(former("a"), Scene.order("b")));
    List<String> handled = new ArrayList<>();
    HandlingScene handling =
        handling(
            (payload, context) -> {
              assertThat(context.binding()).isEqualTo(Scene.ORDERS);
              handled.add(payload + " of " + context.topic());
            });
    assertThat(handling.handle(claim(scene, FORMER))).isEqualTo(Outcome.ACKED);
    assertThat(handling.handle(claim(scene, Scene.ORDERS))).isEqualTo(Outcome.ACKED);
    assertThat(handled).containsExactly("a of purchases", "b of orders");
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void claimOfOneName_ignoresTheOther() {
    Scene scene = new Scene(queue());
    scene.enqueueAll(List.of(former("a"), Scene.order("b")));
    assertThat(Scene.text(scene.claimOne())).isEqualTo("\"b\"");
    assertThat(Scene.text(claim(scene, FORMER))).isEqualTo("\"a\"");
  }

  @Test
  default void retriedUnderTheFormerName_keepsIt() {
    Scene scene = new Scene(queue());
    scene.enqueue(former("a"));
    HandlingScene handling =
        handling(
            (payload, context) -> {
              throw new IllegalStateException("not yet");
            });
    assertThat(handling.handle(claim(scene, FORMER))).isEqualTo(Outcome.RETRIED);
    queue().advance(Scene.MINUTE);
    Claim again = claim(scene, FORMER);
    assertThat(again.topic()).isEqualTo(FORMER);
    assertThat(again.attempts()).isOne();
  }

  @Test
  default void deadLetterOfTheFormerName_isListedUnderIt_andRedrivenUnderIt() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(former("a"));
    HandlingScene failing =
        handling(
            (payload, context) -> {
              throw new PermanentFailure("never");
            });
    assertThat(failing.handle(claim(scene, FORMER))).isEqualTo(Outcome.DEAD_LETTERED);
    assertThat(queue().deadLetters().list(FORMER, 9))
        .extracting(DeadLetter::id)
        .containsExactly(id);
    assertThat(queue().deadLetters().list(Scene.ORDERS, 9)).isEmpty();
    assertThat(queue().deadLetters().count(new DeadLetterFilter(FORMER, null, null, null))).isOne();
    assertThat(queue().deadLetters().redrive(id)).isTrue();
    assertThat(scene.place(id)).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(scene.row(id).topic()).isEqualTo(FORMER.name());
    List<String> handled = new ArrayList<>();
    HandlingScene mended = handling((payload, context) -> handled.add(payload));
    assertThat(mended.handle(claim(scene, FORMER))).isEqualTo(Outcome.ACKED);
    assertThat(handled).containsExactly("a");
  }

  @Test
  default void pause_appliesToItsName() {
    Topics topics = queue().capacity(Topics.class);
    topics.pause(Scene.ORDERS);
    assertPaused(Scene.ORDERS);
    assertThat(topics.list())
        .extracting(TopicInfo::topic, TopicInfo::paused)
        .containsExactly(Tuple.tuple("orders", true));
    topics.pause(FORMER);
    assertPaused(Scene.ORDERS, FORMER);
    topics.resume(Scene.ORDERS);
    assertPaused(FORMER);
    topics.resume(FORMER);
    assertPaused();
  }

  @Test
  default void limits_applyToTheirName() {
    Topics topics = queue().capacity(Topics.class);
    topics.change(Scene.ORDERS, set -> set.withMaxInFlight(2));
    TopicSettingsCache settings = settings();
    assertThat(settings.limits(Scene.ORDERS)).isEqualTo(new TopicLimits(2, null));
    assertThat(settings.limits(FORMER)).isEqualTo(TopicLimits.NONE);
    topics.change(FORMER, set -> set.withMaxPerSecond(5));
    settings = settings();
    assertThat(settings.limits(Scene.ORDERS)).isEqualTo(new TopicLimits(2, null));
    assertThat(settings.limits(FORMER)).isEqualTo(new TopicLimits(null, 5));
  }

  @Test
  default void orderingKey_belongsToOneName() {
    Scene scene = new Scene(queue());
    scene.enqueueAll(
        List.of(former("a").withOrderingKey("k"), Scene.order("b").withOrderingKey("k")));
    Claim older = claim(scene, FORMER);
    assertThat(Scene.text(scene.claimOne())).as("beside the older one").isEqualTo("\"b\"");
    scene.enqueue(former("c").withOrderingKey("k"));
    assertThat(claims(scene, FORMER)).as("behind the older one").isEmpty();
    scene.ack(older);
    assertThat(Scene.text(claim(scene, FORMER))).isEqualTo("\"c\"");
  }

  @Test
  default void knownTopics_areThoseInUse() {
    Scene scene = new Scene(queue());
    Topics topics = queue().capacity(Topics.class);
    assertThat(topics.known()).as("of living workers").containsExactly("mails", "orders");
    MessageId id = scene.enqueue(former("a"));
    assertThat(topics.known()).containsExactly("mails", "orders", "purchases");
    scene.dead(claim(scene, FORMER));
    assertThat(topics.known()).containsExactly("mails", "orders", "purchases");
    assertThat(queue().deadLetters().discardAll(List.of(id))).isOne();
    assertThat(topics.known()).containsExactly("mails", "orders");
  }

  private TopicSettingsCache settings() {
    TopicSettingsCache settings = queue().capacity(TopicSettingsCache.class);
    settings.refresh(null);
    return settings;
  }

  private void assertPaused(Topic... paused) {
    TopicSettingsCache settings = settings();
    assertThat(List.of(Scene.ORDERS, FORMER).stream().filter(settings::isPaused))
        .containsExactly(paused);
  }

  private HandlingScene handling(MessageHandler<String> handler) {
    return new HandlingScene(
        queue(),
        LambdaHandlers.bind(
            Scene.ORDERS.name(),
            String.class,
            handler,
            HandlerSettings.defaults().withFormerTopics(FORMER.name())));
  }

  private Claim claim(Scene scene, Topic topic) {
    List<Claim> claims = claims(scene, topic);
    assertThat(claims).hasSize(1);
    return claims.get(0);
  }

  private List<Claim> claims(Scene scene, Topic topic) {
    scene.tidy();
    return queue().strategy().claim(new ClaimRequest(topic, Scene.ME, 20, 20));
  }

  private static NewMessage former(String payload) {
    return NewMessage.of(FORMER, payload);
  }
}
