package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Deduplication;
import io.rowqueue.EnqueueResult;
import io.rowqueue.EnqueueResult.Outcome;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: no change is dropped that the first message's handling may not see, and no key has two messages that
 * wait. Method: as in RacesIT, the first is held before its COMMIT, and the second is seen to wait in the
 * server, or answers.
 */
@QueueTest
class KeyRaceIT extends RowRace {

  private static final NewMessage MESSAGE =
      NewMessage.of(TOPIC, "p").withDeduplication(Deduplication.whileWaiting("key"));

  private final MessageProducer producer = MessageProducer.create();
  private Connection held;

  KeyRaceIT(QueueDatabase database) {
    super(database);
  }

  enum End {
    COMMIT,
    ROLLBACK
  }

  @BeforeEach
  void open() throws SQLException {
    held = database.connect();
    held.setAutoCommit(false);
    held.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
  }

  @AfterEach
  void close() throws SQLException {
    held.rollback();
    held.close();
  }

  private EnqueueResult offer() {
    return producer.enqueueAllWithResults(database.dataSource(), List.of(MESSAGE)).get(0);
  }

  private MessageId first() {
    return offer().id();
  }

  private int claim() {
    return claims().size();
  }

  /** The answer of a producer that comes while {@code move} stands before its COMMIT. */
  private EnqueueResult offerBeside(Transition transition, Supplier<?> move) throws Exception {
    return external.follows(transition, move, "queue_message", this::offer);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void producer_concurrentWithAProducer_waitsForTheEndOfItsTransaction(End end) throws Exception {
    MessageId first = producer.enqueue(held, MESSAGE);
    CompletableFuture<EnqueueResult> second = external.waiting("queue_deduplication", this::offer);
    if (end == End.COMMIT) {
      held.commit();
      assertThat(ExternalBody.answer(second))
          .isEqualTo(new EnqueueResult(first, Outcome.DUPLICATE));
    } else {
      held.rollback();
      assertThat(ExternalBody.answer(second).outcome()).isEqualTo(Outcome.INSERTED);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  @Test
  void claim_concurrentWithAConfirmation_passesOverIt() throws Exception {
    MessageId first = first();
    assertThat(producer.enqueue(held, MESSAGE)).isEqualTo(first);
    assertThat(claim()).isZero();
    held.commit();
    assertThat(claim()).isEqualTo(1);
  }

  @Test
  void producer_concurrentWithAClaim_waitsAndEnqueuesAnew() throws Exception {
    first();
    assertThat(offerBeside(Transition.CLAIM, this::claim).outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(database.strings("SELECT state FROM queue_message ORDER BY id"))
        .containsExactly("1", "0");
  }

  @Test
  void producer_concurrentWithAPromotion_waitsAndIsADuplicate() throws Exception {
    MessageId first = first();
    database.execute("UPDATE queue_message SET state = 2");
    assertThat(offerBeside(Transition.PROMOTE, () -> player.get(ClaimStore.class).promote(500)))
        .isEqualTo(new EnqueueResult(first, Outcome.DUPLICATE));
  }

  @Test
  void producer_concurrentWithACancel_waitsAndEnqueuesAnew() throws Exception {
    MessageId first = first();
    EnqueueResult offer = offerBeside(Transition.CANCEL, () -> cancel(first));
    assertThat(offer.outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(database.strings("SELECT id FROM queue_message"))
        .containsExactly(offer.id().toString());
  }

  @Test
  void cancel_concurrentWithAConfirmation_waitsAndRemovesTheMessage() throws Exception {
    MessageId first = first();
    producer.enqueue(held, MESSAGE);
    CompletableFuture<Boolean> cancelled = external.waiting("queue_message", () -> cancel(first));
    held.commit();
    ExternalBody.answer(cancelled);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }
}
