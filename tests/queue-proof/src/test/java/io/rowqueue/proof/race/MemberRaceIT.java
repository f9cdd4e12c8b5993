package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/*
 * Goal: a batch completes once, and its counts are its members', whoever meets whom. Method: as in
 * RacesIT, the first is held before its COMMIT, and the second is seen to wait in the server, or answers.
 */
@QueueTest
class MemberRaceIT extends RowRace {

  private static final String LEAF = "queue_batch_shard";
  private static final String BATCH = "queue_batch";
  private static final String DONE = "SELECT COUNT(*) FROM queue_message WHERE topic = 'done'";

  private final BatchProducer producer =
      BatchProducer.over(MessageProducer.create()).notifying(WorkerNotifier.SILENT);

  MemberRaceIT(QueueDatabase database) {
    super(database);
  }

  private static List<NewMessage> messages(int count) {
    return Collections.nCopies(count, NewMessage.of(TOPIC, "p"));
  }

  private static BatchSettings settings(int shards) {
    return BatchSettings.defaults().withShards(shards).completingWith(NewMessage.of("done", "p"));
  }

  /** Five members; if there are two leaves, the first, third and fifth are in the same. */
  private MessageBatch enqueue(int shards) {
    return producer.enqueue(database.dataSource(), settings(shards), messages(5));
  }

  private Batches batches() {
    return player.get(Batches.class);
  }

  private void assertComplete(MessageBatch batch, BatchCounts counts) {
    assertThat(batches().progress(batch.id())).isEqualTo(counts);
    assertThat(batches().find(batch.id()).orElseThrow().completedAt()).isNotNull();
    assertThat(database.count(DONE)).isOne();
    assertThat(player.gate().repetitions()).isEmpty();
  }

  @Test
  void lastSettlements_ofOneLeaf_completeOnce() throws Exception {
    MessageBatch batch = enqueue(1);
    List<Claim> claims = claims();
    assertThat(
            external.follows(
                Transition.ACK,
                () -> ack(claims.subList(0, 3)),
                LEAF,
                () -> ack(claims.subList(3, 5))))
        .isEqualTo(2);
    assertComplete(batch, new BatchCounts(5, 5, 0, 0));
  }

  @Test
  void lastSettlements_ofTwoLeaves_completeOnce() throws Exception {
    MessageBatch batch = enqueue(2);
    List<Claim> claims = claims();
    assertThat(
            external.follows(
                Transition.ACK,
                () -> ack(List.of(claims.get(0), claims.get(2), claims.get(4))),
                BATCH,
                () -> ack(List.of(claims.get(1), claims.get(3)))))
        .isEqualTo(2);
    assertComplete(batch, new BatchCounts(5, 5, 0, 0));
  }

  /** The connections of an application are in REPEATABLE READ, unless it says otherwise. */
  @Test
  void cancel_overConnectionsOfTheApplication_countsWhatEndedWhileItWaited() throws Exception {
    MessageBatch batch = enqueue(2);
    Batches batches = QueueOperations.of(database.dataSource()).batches();
    List<Claim> claims = claims();
    long shard =
        database.count("SELECT batch_id FROM queue_message WHERE id = " + claims.get(0).id());
    database.execute("UPDATE queue_message SET state = 0, lock_id = '' WHERE batch_id = " + shard);
    try (Connection held = database.connect();
        Statement statement = held.createStatement()) {
      held.setAutoCommit(false);
      statement.execute("SELECT id FROM queue_batch_shard WHERE id = " + shard + " FOR UPDATE");
      CompletableFuture<Integer> cancelled =
          external.waiting(LEAF, () -> batches.cancel(batch.id()));
      assertThat(ack(List.of(claims.get(1), claims.get(3)))).isEqualTo(2);
      held.rollback();
      assertThat(ExternalBody.answer(cancelled)).isEqualTo(3);
    }
    assertComplete(batch, new BatchCounts(5, 2, 0, 3));
    assertThat(database.strings("SELECT headers FROM queue_message WHERE topic = 'done'"))
        .singleElement()
        .asString()
        .contains("total=5 done=2 failed=0 cancelled=3");
  }

  @Test
  void settlements_ofTwoLeaves_waitForNobody() throws Exception {
    enqueue(2);
    List<Claim> claims = claims();
    assertThat(
            external.passes(
                Transition.ACK, () -> ack(claims.subList(0, 1)), () -> ack(claims.subList(1, 2))))
        .isOne();
  }

  @Test
  void add_concurrentWithTheLastSettlement_isRefused() throws Exception {
    MessageBatch batch = enqueue(1);
    List<Claim> claims = claims();
    assertThatThrownBy(
            () ->
                external.follows(
                    Transition.ACK,
                    () -> ack(claims),
                    LEAF,
                    () -> producer.add(database.dataSource(), batch, messages(1))))
        .hasCauseInstanceOf(BatchCompleteException.class);
    assertComplete(batch, new BatchCounts(5, 5, 0, 0));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isOne();
  }

  @Test
  void lastSettlement_concurrentWithAnAdd_leavesTheBatchOpen() throws Exception {
    MessageBatch batch = enqueue(1);
    List<Claim> claims = claims();
    try (Connection open = database.connect()) {
      open.setAutoCommit(false);
      producer.add(open, batch, messages(1));
      CompletableFuture<Integer> acked = external.waiting(LEAF, () -> ack(claims));
      open.commit();
      assertThat(ExternalBody.answer(acked)).isEqualTo(5);
    }
    assertThat(database.count(DONE)).isZero();
    assertThat(ack(claims())).isOne();
    assertComplete(batch, new BatchCounts(6, 6, 0, 0));
  }

  @Test
  void seal_concurrentWithTheLastSettlement_completesOnce() throws Exception {
    MessageBatch batch = producer.open(database.dataSource(), settings(1));
    producer.add(database.dataSource(), batch, messages(5));
    List<Claim> claims = claims();
    external.follows(
        Transition.ACK,
        () -> ack(claims),
        LEAF,
        () -> {
          batches().close(batch.id());
          return true;
        });
    assertComplete(batch, new BatchCounts(5, 5, 0, 0));
  }

  @Test
  void redrive_concurrentWithTheLastSettlement_runsWithoutTheBatch() throws Exception {
    MessageBatch batch = enqueue(1);
    List<Claim> claims = claims();
    Claim dead = claims.get(0);
    player.get(Settler.class).deadLetter(dead, DeadLetterReason.PERMANENT_FAILURE, ERROR);
    assertThat(
            external.<Boolean>follows(
                Transition.ACK,
                () -> ack(claims.subList(1, 5)),
                LEAF,
                () -> player.get(DeadLetters.class).redrive(dead.id())))
        .isTrue();
    assertComplete(batch, new BatchCounts(5, 4, 1, 0));
    assertThat(database.strings("SELECT topic FROM queue_message WHERE batch_id IS NULL"))
        .containsExactlyInAnyOrder("race", "done");
  }

  @Test
  void recount_concurrentWithASettlement_countsItOnce() throws Exception {
    MessageBatch batch = enqueue(1);
    List<Claim> claims = claims();
    external.follows(
        Transition.ACK, () -> ack(claims.subList(0, 2)), LEAF, () -> batches().recount(batch.id()));
    assertThat(batches().progress(batch.id())).isEqualTo(new BatchCounts(5, 2, 0, 0));
    assertThat(
            external.follows(
                Transition.BATCH_RECOUNT,
                () -> {
                  database.execute("DELETE FROM queue_message WHERE id = " + claims.get(2).id());
                  return batches().recount(batch.id());
                },
                LEAF,
                () -> ack(claims.subList(3, 5))))
        .isEqualTo(2);
    assertComplete(batch, new BatchCounts(5, 4, 0, 1));
  }

  private long begin() {
    return ChainProducer.over(MessageProducer.create())
        .notifying(WorkerNotifier.SILENT)
        .enqueue(
            database.dataSource(), Chain.of(NewMessage.of(TOPIC, 1)).then(NewMessage.of(TOPIC, 2)));
  }

  @Test
  void chainCancel_concurrentWithAnAck_takesWhatThatHasEnqueued() throws Exception {
    long chain = begin();
    List<Claim> claims = claims();
    assertThat(
            external.<Boolean>follows(
                Transition.ACK,
                () -> ack(claims),
                "queue_chain_step",
                () -> player.get(Chains.class).cancel(chain)))
        .isTrue();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_chain")).isZero();
  }

  @Test
  void ack_concurrentWithAChainCancel_endsTheChain() throws Exception {
    long chain = begin();
    List<Claim> claims = claims();
    assertThat(
            external.follows(
                Transition.CHAIN_CANCEL,
                () -> player.get(Chains.class).cancel(chain),
                "queue_chain_step",
                () -> ack(claims)))
        .isOne();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_chain")).isZero();
  }
}
