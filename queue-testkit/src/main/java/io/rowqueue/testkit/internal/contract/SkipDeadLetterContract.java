package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Topics;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The contract of ordering keys in topics that skip dead letters, see {@link Topics#onDeadLetter}.
 */
public interface SkipDeadLetterContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void key_whoseTopicSkipsDeadLetters_continuesAfterADeadLetter() {
    Scene scene = new Scene(queue());
    then(DeadLetterPolicy.SKIP);
    List<MessageId> ids = line(scene, "a", "b");
    scene.dead(scene.claimOne());
    Claim next = scene.claimOne();
    assertThat(next.id()).isEqualTo(ids.get(1));
    scene.ack(next);
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void skippedDeadLetter_isNext_onceItIsRedriven() {
    Scene scene = new Scene(queue());
    then(DeadLetterPolicy.SKIP);
    List<MessageId> ids = line(scene, "a", "b", "c");
    scene.dead(scene.claimOne());
    Claim second = scene.claimOne();
    assertThat(queue().deadLetters().redrive(ids.get(0))).isTrue();
    assertThat(scene.claimAll()).isEmpty();
    scene.ack(second);
    Claim again = scene.claimOne();
    assertThat(again.id()).isEqualTo(ids.get(0));
    scene.ack(again);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(2));
  }

  @Test
  default void skippedDeadLetter_isNotOvertaken_whileTheFirstIsRetried() {
    Scene scene = new Scene(queue());
    then(DeadLetterPolicy.SKIP);
    List<MessageId> ids = line(scene, "a", "b", "c");
    scene.dead(scene.claimOne());
    assertThat(queue().settler().retry(scene.claimOne(), Scene.ERROR, Scene.MINUTE)).isTrue();
    assertThat(queue().deadLetters().redrive(ids.get(0))).isTrue();
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Scene.MINUTE);
    for (int next : new int[] {1, 0, 2}) {
      Claim claim = scene.claimOne();
      assertThat(claim.id()).isEqualTo(ids.get(next));
      scene.ack(claim);
    }
  }

  @Test
  default void settingOfATopic_admitsMessagesBlockedByDeadLetters() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = line(scene, "a", "b");
    scene.dead(scene.claimOne());
    assertThat(scene.claimAll()).isEmpty();
    then(DeadLetterPolicy.SKIP);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(1));
  }

  @Test
  default void settingTakenBack_letsTheNextDeadLetterBlockItsKey() {
    Scene scene = new Scene(queue());
    then(DeadLetterPolicy.SKIP);
    List<MessageId> ids = line(scene, "a", "b", "c");
    scene.dead(scene.claimOne());
    Claim second = scene.claimOne();
    then(DeadLetterPolicy.BLOCK);
    scene.dead(second);
    assertThat(scene.claimAll()).isEmpty();
    assertThat(scene.place(ids.get(2))).isEqualTo(MessageLocation.BLOCKED);
  }

  @Test
  default void reapedClaim_isNotSkipped_untilItIsADeadLetter() {
    Scene scene = new Scene(queue());
    then(DeadLetterPolicy.SKIP);
    List<MessageId> ids = line(scene, "a", "b");
    for (int lost = 0; lost < Scene.MOST_LOST; lost++) {
      Claim claim = scene.claimOne();
      assertThat(claim.id()).isEqualTo(ids.get(0));
      queue().claims().start(claim);
      scene.loses(Scene.ME);
    }
    assertThat(scene.place(ids.get(0))).isEqualTo(MessageLocation.DEAD_LETTER);
    assertThat(scene.claimOne().id()).isEqualTo(ids.get(1));
  }

  private void then(DeadLetterPolicy then) {
    queue().capacity(Topics.class).onDeadLetter(Scene.ORDERS, then);
  }

  private static List<MessageId> line(Scene scene, String... payloads) {
    return scene.enqueueAll(
        List.of(payloads).stream()
            .map(payload -> Scene.order(payload).withOrderingKey("k"))
            .toList());
  }
}
