package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The contract of {@link io.rowqueue.operate.Messages}: cancel, reschedule, prioritize, find. */
public interface MessagesContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void cancelled_isDeleted() {
    Scene scene = new Scene(queue());
    MessageId available = scene.enqueue(Scene.order("tea"));
    MessageId scheduled = scene.enqueue(Scene.order("tea").withDelay(Scene.MINUTE));
    queue().messages().cancel(available);
    queue().messages().cancel(scheduled);
    assertThat(queue().poll().messages()).isEmpty();
    assertThat(queue().poll().deadLetters()).isEmpty();
    assertThat(scene.place(available)).isEqualTo(MessageLocation.UNKNOWN);
  }

  @Test
  default void cancelOfAClaimedDeadOrMissingMessage_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertRefused(() -> queue().messages().cancel(claim.id()), "in flight");
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    scene.dead(claim);
    assertRefused(() -> queue().messages().cancel(claim.id()), "dead letter");
    assertRefused(() -> queue().messages().cancel(new MessageId(987_654_321L)), "no table has it");
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.DEAD_LETTER);
  }

  @Test
  default void cancelRequestForAWaitingMessage_deletesIt() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea"));
    assertThat(queue().messages().requestCancel(id, "ada")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(scene.place(id)).isEqualTo(MessageLocation.UNKNOWN);
  }

  @Test
  default void cancelRequestsForAClaimedMessage_keepTheFirst() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertThat(queue().messages().requestCancel(claim.id(), "ada"))
        .isEqualTo(CancelOutcome.REQUESTED);
    assertThat(queue().messages().requestCancel(claim.id(), "bob"))
        .isEqualTo(CancelOutcome.REQUESTED);
    CancelRequest request = Objects.requireNonNull(scene.find(claim.id()).cancelRequest());
    assertThat(request.requestedBy()).isEqualTo("ada");
    assertThat(request.requestedAt()).isEqualTo(queue().now());
    assertThat(queue().settler().cancel(claim)).isTrue();
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.UNKNOWN);
  }

  @Test
  default void cancelRequestForADeadOrMissingMessage_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.dead(claim);
    assertRefused(() -> queue().messages().requestCancel(claim.id(), "ada"), "dead letter");
    MessageId unknown = new MessageId(987_654_321L);
    assertRefused(() -> queue().messages().requestCancel(unknown, "ada"), "no table has it");
    assertThatThrownBy(() -> queue().messages().requestCancel(unknown, "a".repeat(256)))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  default void rescheduled_isClaimedAtItsNewTime() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea"));
    queue().messages().reschedule(id, Duration.ofHours(1));
    assertThat(scene.place(id)).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.row(id).dueAt()).isEqualTo(queue().now().plus(Duration.ofHours(1)));
    assertThat(scene.claimAll()).isEmpty();
    queue().messages().reschedule(id, queue().now().plus(Scene.MINUTE));
    queue().advance(Scene.MINUTE);
    assertThat(Scene.ids(scene.claimAll())).containsExactly(id);
  }

  @Test
  default void rescheduledForNowOrBefore_isAvailable() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea").withDelay(Scene.MINUTE));
    queue().messages().reschedule(id, Duration.ZERO);
    assertThat(scene.place(id)).isEqualTo(MessageLocation.AVAILABLE);
    MessageId other = scene.enqueue(Scene.order("tea").withDelay(Scene.MINUTE));
    queue().messages().reschedule(other, queue().now().minus(Scene.MINUTE));
    assertThat(scene.place(other)).isEqualTo(MessageLocation.AVAILABLE);
    MessageId ordered =
        scene.enqueue(Scene.order("tea").withOrderingKey("key").withDelay(Scene.MINUTE));
    queue().messages().reschedule(ordered, Instant.MIN);
    assertThat(Scene.ids(scene.claimAll())).contains(ordered);
    assertThatThrownBy(() -> queue().messages().reschedule(ordered, Instant.MAX))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  default void rescheduleOfAClaimedMessage_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertRefused(() -> queue().messages().reschedule(claim.id(), Scene.MINUTE), "in flight");
    assertThat(scene.place(claim.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThatThrownBy(() -> queue().messages().reschedule(claim.id(), Duration.ofSeconds(-1)))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  default void prioritized_overtakes() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(3);
    queue().messages().prioritize(ids.get(2), -1);
    queue().messages().prioritize(ids.get(0), 1);
    assertThat(Scene.ids(scene.claimAll())).containsExactly(ids.get(2), ids.get(1), ids.get(0));
  }

  @Test
  default void prioritizeOfAClaimedMessage_isRefused() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    assertRefused(() -> queue().messages().prioritize(claim.id(), 1), "in flight");
    assertThat(scene.row(claim.id()).priority()).isZero();
    assertThatThrownBy(() -> queue().messages().prioritize(claim.id(), 128))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  default void found_hasItsLocation() {
    Scene scene = new Scene(queue());
    Claim dead = scene.claimed("dead");
    scene.dead(dead);
    Claim claimed = scene.claimed("claimed");
    MessageId available = scene.enqueue(Scene.order("available"));
    MessageId scheduled = scene.enqueue(Scene.order("scheduled").withDelay(Scene.MINUTE));
    assertThat(scene.place(dead.id())).isEqualTo(MessageLocation.DEAD_LETTER);
    assertThat(scene.place(claimed.id())).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(scene.place(available)).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(scene.place(scheduled)).isEqualTo(MessageLocation.SCHEDULED);
    assertThat(scene.find(new MessageId(987_654_321L)).row()).isNull();
    assertThat(scene.row(dead.id()).cause())
        .isEqualTo(new MessageDetails.Cause("permanent-failure", "java.io.IOException: disk"));
    assertThat(scene.row(dead.id()).worker()).isEqualTo(Scene.ME.value());
    assertThat(
            new String(
                scene.row(available).body().payload(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("\"available\"");
  }

  private static void assertRefused(Runnable change, String why) {
    assertThatThrownBy(change::run).isInstanceOf(RefusedException.class).hasMessageContaining(why);
  }
}
