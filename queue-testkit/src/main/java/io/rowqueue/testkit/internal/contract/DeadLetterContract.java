package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of {@link io.rowqueue.operate.DeadLetters}. */
public interface DeadLetterContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void redriven_isAvailable_withAllItsProperties() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(Scene.order("tea").withPriority(7).withHeader("tenant", "7"));
    Claim claim = scene.claimOne();
    queue().advance(Scene.MINUTE);
    scene.dead(claim);
    queue().advance(Scene.MINUTE);
    assertThat(queue().deadLetters().redrive(id)).isTrue();
    MessageDetails.Row row = scene.row(id);
    assertThat(scene.place(id)).isEqualTo(MessageLocation.AVAILABLE);
    assertThat(row.priority()).isEqualTo(7);
    assertThat(row.createdAt()).isEqualTo(claim.createdAt());
    assertThat(row.dueAt()).isEqualTo(queue().now());
    Claim again = scene.claimOne();
    assertThat(again.id()).isEqualTo(id);
    assertThat(Scene.text(again)).isEqualTo("\"tea\"");
    assertThat(Headers.parse(again.body().headers())).isEqualTo(Map.of("tenant", "7"));
  }

  @Test
  default void redriven_beginsAnew_exceptForItsClaimNumber() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.loses(Scene.ME);
    Claim second = scene.claimOne();
    assertThat(queue().settler().retry(second, Scene.ERROR, Duration.ZERO)).isTrue();
    scene.dead(scene.claimOne());
    assertThat(queue().deadLetters().find(claim.id()).orElseThrow().attempts()).isEqualTo(2);
    assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
    assertThat(scene.row(claim.id()).counts()).isEqualTo(new MessageDetails.Counts(3, 0, 0));
    assertThat(scene.find(claim.id()).failures()).isEmpty();
    Claim again = scene.claimOne();
    assertThat(again.number()).isEqualTo(4);
    assertThat(again.attempts()).isZero();
    assertThat(again.lost()).isZero();
  }

  @Test
  default void redriven_isNoLongerADeadLetter() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.dead(claim);
    assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
    assertThat(queue().deadLetters().redrive(claim.id())).isFalse();
    assertThat(queue().deadLetters().find(claim.id())).isEmpty();
    assertThat(queue().deadLetters().attempts(claim.id())).isEmpty();
    assertThat(queue().poll().deadLetters()).isEmpty();
  }

  @Test
  default void redriven_noLongerBelongsToItsFormerOwner() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.dead(claim);
    queue().deadLetters().redrive(claim.id());
    assertThat(queue().settler().ackAll(List.of(claim))).isZero();
    Claim held = scene.claimOne();
    assertThat(queue().settler().ackAll(List.of(claim))).isZero();
    assertThat(queue().settler().ackAll(List.of(held))).isEqualTo(1);
  }

  @Test
  default void redriven_thatFailsAgain_isCountedAnew() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.dead(claim);
    queue().deadLetters().redrive(claim.id());
    scene.dead(scene.claimOne());
    DeadLetter letter = queue().deadLetters().find(claim.id()).orElseThrow();
    assertThat(letter.attempts()).isEqualTo(1);
    assertThat(letter.claims()).isEqualTo(2);
    assertThat(queue().deadLetters().attempts(claim.id())).hasSize(1);
  }

  @Test
  default void redriveOfAnUnknownId_doesNothing() {
    Scene scene = new Scene(queue());
    MessageId waiting = scene.enqueue(Scene.order("tea"));
    assertThat(queue().deadLetters().redrive(waiting)).isFalse();
    assertThat(queue().deadLetters().redrive(new MessageId(987_654_321L))).isFalse();
    assertThat(queue().poll().messages()).hasSize(1);
  }

  @Test
  default void redriveOfSeveral_countsExistingDeadLetters() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(3);
    scene.claimAll().subList(0, 2).forEach(scene::dead);
    assertThat(queue().deadLetters().redriveAll(ids)).isEqualTo(2);
    assertThat(queue().deadLetters().redriveAll(ids)).isZero();
  }

  @Test
  default void discarded_isDeleted() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(3);
    scene.claimAll().subList(0, 2).forEach(scene::dead);
    assertThat(queue().deadLetters().discardAll(List.of(ids.get(0), ids.get(2)))).isEqualTo(1);
    assertThat(scene.place(ids.get(0))).isEqualTo(MessageLocation.UNKNOWN);
    assertThat(scene.place(ids.get(1))).isEqualTo(MessageLocation.DEAD_LETTER);
    assertThat(scene.place(ids.get(2))).isEqualTo(MessageLocation.IN_FLIGHT);
    assertThat(queue().deadLetters().attempts(ids.get(0))).isEmpty();
    assertThat(queue().deadLetters().redrive(ids.get(0))).isFalse();
  }

  @Test
  default void list_isPagedById() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = scene.enqueue(5);
    List<Claim> claims = new ArrayList<>(scene.claimAll());
    java.util.Collections.reverse(claims);
    claims.forEach(scene::dead);
    assertThat(queue().deadLetters().list(Scene.ORDERS, 2))
        .extracting(DeadLetter::id)
        .containsExactly(ids.get(0), ids.get(1));
    assertThat(queue().deadLetters().list(DeadLetterFilter.ALL, ids.get(1).value(), 2))
        .extracting(DeadLetter::id)
        .containsExactly(ids.get(2), ids.get(3));
    assertThat(queue().deadLetters().list(Scene.MAILS, 2)).isEmpty();
  }

  @Test
  default void filter_selectsByEachProperty() {
    Scene scene = new Scene(queue());
    scene.enqueue(2);
    List<Claim> claims = scene.claimAll();
    scene.dead(claims.get(0));
    queue().advance(Scene.MINUTE);
    Instant later = queue().now();
    DeadLetterReason reason = DeadLetterReason.UNDECODABLE;
    assertThat(queue().settler().deadLetter(claims.get(1), reason, Scene.ERROR)).isTrue();
    assertThat(queue().deadLetters().count(DeadLetterFilter.ALL)).isEqualTo(2);
    assertThat(queue().deadLetters().count(new DeadLetterFilter(null, reason, null, null)))
        .isEqualTo(1);
    assertThat(queue().deadLetters().count(new DeadLetterFilter(Scene.MAILS, null, null, null)))
        .isZero();
    assertThat(
            queue().deadLetters().list(new DeadLetterFilter(Scene.ORDERS, null, later, null), 0, 9))
        .extracting(DeadLetter::id)
        .containsExactly(claims.get(1).id());
    assertThat(queue().deadLetters().list(new DeadLetterFilter(null, null, null, later), 0, 9))
        .extracting(DeadLetter::id)
        .containsExactly(claims.get(0).id());
  }

  @Test
  default void detail_thatIsLong_isTruncated() {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    AttemptError wordy = new AttemptError("E", "x".repeat(4_100), "");
    assertThat(queue().settler().deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, wordy))
        .isTrue();
    assertThat(queue().deadLetters().find(claim.id()).orElseThrow().detail())
        .hasSize(4_000)
        .startsWith("E: xx")
        .endsWith("x…");
  }
}
