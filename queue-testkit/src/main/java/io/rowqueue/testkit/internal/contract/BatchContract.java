package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueuedMessage;
import java.sql.Connection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of batches: {@link BatchProducer} and {@link Batches}. */
public interface BatchContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void batch_completesWithItsLastMember() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().ackAll(claims.subList(0, 2))).isEqualTo(2);
    assertOpen(batch, new BatchCounts(3, 2, 0, 0));
    scene.ack(claims.get(2));
    assertComplete(batch, new BatchCounts(3, 3, 0, 0));
  }

  @Test
  default void batchWhoseLastAckIsRolledBack_isNotComplete() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 1);
    Claim claim = scene.claimOne();
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertOpen(batch, new BatchCounts(1, 0, 0, 0));
    scene.ack(claim);
    assertComplete(batch, new BatchCounts(1, 1, 0, 0));
  }

  @Test
  default void batchOfARolledBackTransaction_doesNotExist() {
    Scene scene = new Scene(queue());
    scene.rollBack(
        tx -> {
          MessageBatch batch = producer().enqueue(tx.connection(), importing(), orders(2));
          assertThat(batch.id()).isPositive();
        });
    assertThat(batches().list(true, Long.MAX_VALUE, 10)).isEmpty();
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void memberThatIsRetriedReleasedOrReaped_staysOpen() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().retry(claims.get(0), Scene.ERROR, Scene.MINUTE)).isTrue();
    assertThat(queue().settler().release(claims.get(1), Scene.MINUTE)).isTrue();
    scene.loses(Scene.ME);
    assertOpen(batch, new BatchCounts(3, 0, 0, 0));
  }

  @Test
  default void deadLetter_countsAsFailed_andItsRedriveIsNoMember() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 2);
    List<Claim> claims = scene.claimAll();
    scene.ack(claims.get(0));
    scene.dead(claims.get(1));
    assertComplete(batch, new BatchCounts(2, 1, 1, 0));
    assertThat(queue().deadLetters().redrive(claims.get(1).id())).isTrue();
    scene.ack(scene.claimOne());
    assertComplete(batch, new BatchCounts(2, 1, 1, 0));
  }

  @Test
  default void deadLetterThatIsRedrivenBeforeTheEnd_isAMemberAgain() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 2);
    List<Claim> claims = scene.claimAll();
    scene.dead(claims.get(0));
    assertThat(queue().deadLetters().redrive(claims.get(0).id())).isTrue();
    scene.ack(claims.get(1));
    assertOpen(batch, new BatchCounts(2, 1, 0, 0));
    scene.ack(scene.claimOne());
    assertComplete(batch, new BatchCounts(2, 2, 0, 0));
  }

  @Test
  default void batchThatHoldsDeadLetters_waitsForRedriveOrDiscard() {
    Scene scene = new Scene(queue());
    MessageBatch batch =
        scene.made(
            tx -> producer().enqueue(tx.connection(), importing().holdingDeadLetters(), orders(2)));
    List<Claim> claims = scene.claimAll();
    claims.forEach(scene::dead);
    assertOpen(batch, new BatchCounts(2, 0, 2, 0));
    assertThat(queue().deadLetters().discardAll(List.of(claims.get(0).id()))).isOne();
    assertThat(queue().deadLetters().redrive(claims.get(1).id())).isTrue();
    assertOpen(batch, new BatchCounts(2, 0, 0, 1));
    scene.ack(scene.claimOne());
    assertComplete(batch, new BatchCounts(2, 1, 0, 1));
  }

  @Test
  default void messageThatIsQuarantinedOrCancelled_isSettled() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 2);
    queue().messages().cancel(scene.claimAndRelease().get(0));
    for (int lost = 0; lost < Scene.MOST_LOST; lost++) {
      queue().claims().start(scene.claimOne());
      scene.loses(Scene.ME);
    }
    assertComplete(batch, new BatchCounts(2, 0, 1, 1));
  }

  @Test
  default void openBatch_isNotComplete_untilItIsClosed() {
    Scene scene = new Scene(queue());
    MessageBatch batch = scene.made(tx -> producer().open(tx.connection(), importing()));
    assertThat(found(batch).state()).isEqualTo("open");
    add(scene, batch, 1);
    scene.ack(scene.claimOne());
    assertOpen(batch, new BatchCounts(1, 1, 0, 0));
    add(scene, batch, 1);
    assertThat(seal(scene, batch)).isTrue();
    assertThat(seal(scene, batch)).isFalse();
    assertOpen(batch, new BatchCounts(2, 1, 0, 0));
    scene.ack(scene.claimOne());
    assertComplete(batch, new BatchCounts(2, 2, 0, 0));
  }

  @Test
  default void emptyBatch_completesWhenClosed() {
    Scene scene = new Scene(queue());
    MessageBatch batch = scene.made(tx -> producer().open(tx.connection(), importing()));
    batches().close(batch.id());
    assertComplete(batch, new BatchCounts(0, 0, 0, 0));
    assertThatThrownBy(() -> batches().close(batch.id())).isInstanceOf(RefusedException.class);
  }

  @Test
  default void batchClosedWhileEmpty_isCompleteWithinItsTransaction() {
    Scene scene = new Scene(queue());
    MessageBatch batch =
        scene.made(
            tx -> {
              MessageBatch opened = producer().open(tx.connection(), importing());
              assertThat(producer().close(tx.connection(), opened)).isTrue();
              assertThat(producer().close(tx.connection(), opened)).isFalse();
              assertThatThrownBy(() -> producer().add(tx.connection(), opened, orders(1)))
                  .isInstanceOf(BatchCompleteException.class);
              return opened;
            });
    assertThat(scene.payloads(Scene.ORDERS)).isEmpty();
    assertComplete(batch, new BatchCounts(0, 0, 0, 0));
  }

  @Test
  default void batchClosedWhileEmpty_andRolledBack_isNotComplete() {
    Scene scene = new Scene(queue());
    MessageBatch batch = scene.made(tx -> producer().open(tx.connection(), importing()));
    scene.rollBack(tx -> assertThat(producer().close(tx.connection(), batch)).isTrue());
    assertOpen(batch, new BatchCounts(0, 0, 0, 0));
    add(scene, batch, 1);
    assertThat(seal(scene, batch)).isTrue();
    assertOpen(batch, new BatchCounts(1, 0, 0, 0));
  }

  @Test
  default void batchEmptiedAndClosedInATransaction_rejectsMembersWithinIt() {
    Scene scene = new Scene(queue());
    MessageBatch batch = scene.made(tx -> producer().open(tx.connection(), importing()));
    add(scene, batch, 1);
    Claim claim = scene.claimOne();
    scene.commit(
        tx -> {
          assertThat(producer().close(tx.connection(), batch)).isTrue();
          assertThat(producer().add(tx.connection(), batch, orders(1))).hasSize(1);
          queue().settler().ack(tx, claim);
        });
    assertOpen(batch, new BatchCounts(2, 1, 0, 0));
    Claim last = scene.claimOne();
    scene.commit(
        tx -> {
          queue().settler().ack(tx, last);
          assertThatThrownBy(() -> producer().add(tx.connection(), batch, orders(1)))
              .isInstanceOf(BatchCompleteException.class);
        });
    assertComplete(batch, new BatchCounts(2, 2, 0, 0));
  }

  @Test
  default void completeBatch_rejectsMembers_andTheTransactionContinues() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 0);
    scene.commit(
        tx -> {
          assertThatThrownBy(() -> producer().add(tx.connection(), batch, orders(2)))
              .isInstanceOf(BatchCompleteException.class);
          queue().producer().enqueue(tx.connection(), Scene.order("beside"));
        });
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("beside");
    assertComplete(batch, new BatchCounts(0, 0, 0, 0));
  }

  @Test
  default void membersAddedByAMember_existWithItsAck() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 1);
    Claim claim = scene.claimOne().withHandled(new Handled(null, adding(null), 0));
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertOpen(batch, new BatchCounts(1, 0, 0, 0));
    scene.ack(claim);
    assertOpen(batch, new BatchCounts(3, 1, 0, 0));
    assertThat(queue().settler().ackAll(scene.claimAll())).isEqualTo(2);
    assertComplete(batch, new BatchCounts(3, 3, 0, 0));
  }

  /** Members added by the completion are not the producer's. */
  @Test
  default void completionWithTheMostHeadersAllowed_isHandled() {
    Scene scene = new Scene(queue());
    NewMessage full = Scene.withHeaders(NewMessage.of(Scene.MAILS, "done"), 16 << 10);
    NewMessage more = Scene.withHeaders(NewMessage.of(Scene.MAILS, "done"), (16 << 10) + 1);
    scene.commit(
        tx -> {
          assertThatThrownBy(() -> open(tx.connection(), more))
              .isInstanceOf(InvalidMessageException.class)
              .hasMessageContaining("over the limit of 16,384");
          MessageBatch batch = open(tx.connection(), full);
          assertThat(producer().close(tx.connection(), batch)).isTrue();
        });
    ClaimRequest request = new ClaimRequest(Scene.MAILS, Scene.ME, 1, 1);
    Claim claim = queue().strategy().claim(request).get(0);
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.MAILS.name(),
                String.class,
                (payload, context) -> {},
                HandlerSettings.defaults()));
    assertThat(handling.handle(claim)).isEqualTo(Outcome.ACKED);
  }

  private MessageBatch open(Connection connection, NewMessage completion) {
    return producer().open(connection, BatchSettings.defaults().completingWith(completion));
  }

  @Test
  default void replacingMember_rejectsMessagesOutsideItsBatch() {
    Scene scene = new Scene(queue());
    List<NewMessage> call =
        List.of(Scene.order("tea").withDeduplication(Deduplication.whileWaiting("k").replacing()));
    MessageBatch batch =
        scene.made(tx -> producer().open(tx.connection(), importing().withShards(64)));
    List<MessageId> first = scene.made(tx -> producer().add(tx.connection(), batch, call));
    List<MessageId> again = scene.made(tx -> producer().add(tx.connection(), batch, call));
    assertThat(again).isEqualTo(first);
    scene.commit(
        tx -> {
          assertThatThrownBy(() -> producer().enqueue(tx.connection(), importing(), call))
              .isInstanceOf(DuplicateMessageException.class)
              .hasMessageContaining("another ordering key, batch or chain");
          assertThatThrownBy(() -> queue().producer().enqueueAll(tx.connection(), call))
              .isInstanceOf(DuplicateMessageException.class);
        });
    assertThat(seal(scene, batch)).isTrue();
    assertThat(batches().list(true, Long.MAX_VALUE, 10)).hasSize(1);
    assertOpen(batch, new BatchCounts(1, 0, 0, 0));
    scene.ack(scene.claimOne());
    assertComplete(batch, new BatchCounts(1, 1, 0, 0));
  }

  @Test
  default void nestedBatch_isOneMember_andCompletesFirst() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 1);
    scene.ack(
        scene.claimOne().withHandled(new Handled(null, adding(BatchSettings.named("inner")), 0)));
    assertOpen(batch, new BatchCounts(2, 1, 0, 0));
    BatchDetails inner = batches().list(true, Long.MAX_VALUE, 1).get(0);
    assertThat(inner.parent()).isEqualTo(batch.id());
    assertThat(inner.counts()).isEqualTo(new BatchCounts(2, 0, 0, 0));
    List<Claim> claims = scene.claimAll();
    scene.ack(claims.get(0));
    assertOpen(batch, new BatchCounts(2, 1, 0, 0));
    scene.ack(claims.get(1));
    assertThat(found(inner.batch()).completedAt()).isNotNull();
    assertComplete(batch, new BatchCounts(2, 2, 0, 0));
  }

  @Test
  default void cancel_deletesWaitingMembers_andLetsClaimedOnesFinish() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 4);
    List<Claim> claims = scene.claim(Scene.ME, 2);
    assertThat(batches().cancel(batch.id())).isEqualTo(2);
    assertThat(found(batch).state()).isEqualTo("cancelled");
    scene.ack(claims.get(0));
    assertThat(queue().settler().retry(claims.get(1), Scene.ERROR, Scene.MINUTE)).isTrue();
    assertOpen(batch, new BatchCounts(4, 1, 0, 2));
    assertThat(batches().sweep()).isOne();
    assertComplete(batch, new BatchCounts(4, 1, 0, 3));
    assertThat(batches().cancel(batch.id())).as("again, and for nothing").isZero();
  }

  @Test
  default void deadLetterOfACancelledBatch_thatIsRedriven_isCancelledAgain() {
    Scene scene = new Scene(queue());
    MessageBatch batch =
        scene.made(
            tx -> producer().enqueue(tx.connection(), importing().holdingDeadLetters(), orders(2)));
    Claim claim = scene.claim(Scene.ME, 1).get(0);
    scene.dead(claim);
    assertThat(batches().cancel(batch.id())).isOne();
    assertOpen(batch, new BatchCounts(2, 0, 1, 1));
    assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
    assertOpen(batch, new BatchCounts(2, 0, 0, 1));
    assertThat(batches().sweep()).isOne();
    assertThat(scene.claimAll()).isEmpty();
    assertComplete(batch, new BatchCounts(2, 0, 0, 2));
  }

  @Test
  default void cancelOfACompleteBatch_isRefused() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 1);
    scene.ack(scene.claimOne());
    assertThatThrownBy(() -> batches().cancel(batch.id())).isInstanceOf(RefusedException.class);
    assertComplete(batch, new BatchCounts(1, 1, 0, 0));
  }

  @Test
  default void cancel_cancelsNestedBatches() {
    Scene scene = new Scene(queue());
    MessageBatch batch = batchOf(scene, 1);
    scene.ack(
        scene.claimOne().withHandled(new Handled(null, adding(BatchSettings.named("inner")), 0)));
    assertThat(batches().cancel(batch.id())).isEqualTo(2);
    assertThat(scene.payloads(Scene.ORDERS)).isEmpty();
    assertComplete(batch, new BatchCounts(2, 2, 0, 0));
  }

  private static BatchSettings importing() {
    return BatchSettings.named("import").completingWith(NewMessage.of(Scene.MAILS, "done"));
  }

  private BatchProducer producer() {
    return queue().capacity(BatchProducer.class);
  }

  private Batches batches() {
    return queue().capacity(Batches.class);
  }

  private BatchDetails found(MessageBatch batch) {
    return batches().find(batch.id()).orElseThrow();
  }

  private MessageBatch batchOf(Scene scene, int members) {
    return scene.made(tx -> producer().enqueue(tx.connection(), importing(), orders(members)));
  }

  private void add(Scene scene, MessageBatch batch, int members) {
    List<MessageId> added =
        scene.made(tx -> producer().add(tx.connection(), batch, orders(members)));
    assertThat(added).hasSize(members);
  }

  private boolean seal(Scene scene, MessageBatch batch) {
    return scene.made(tx -> producer().close(tx.connection(), batch));
  }

  private static List<NewMessage> orders(int count) {
    return Collections.nCopies(count, Scene.order("tea"));
  }

  private FollowUps adding(@Nullable BatchSettings nested) {
    NewMessage encoded = queue().producer().encoded(Scene.order("more"));
    return new FollowUps(
        List.of(new FollowUps.NewMembers(nested, List.of(encoded, encoded))), Map.of());
  }

  private void assertOpen(MessageBatch batch, BatchCounts counts) {
    assertThat(batches().progress(batch.id())).isEqualTo(counts);
    assertThat(found(batch).completedAt()).isNull();
    assertThat(completions()).isEmpty();
  }

  private void assertComplete(MessageBatch batch, BatchCounts counts) {
    assertThat(batches().progress(batch.id())).isEqualTo(counts);
    assertThat(found(batch).state()).isEqualTo("complete");
    assertThat(found(batch).completedAt()).isEqualTo(queue().now());
    assertThat(completions()).hasSize(1);
    Map<String, String> headers = Objects.requireNonNull(completions().get(0).headers());
    assertThat(headers)
        .containsEntry(BatchSettings.BATCH_HEADER, Long.toString(batch.id()))
        .containsEntry(BatchSettings.COUNTS_HEADER, counts.text());
  }

  private List<QueuedMessage> completions() {
    return queue().poll().messages().stream()
        .filter(message -> message.topic().equals(Scene.MAILS.name()))
        .toList();
  }
}
