package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Isolation;
import io.rowqueue.tests.statement.Core;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/*
 * Goal: no sweep deletes the body of a message that lives, whatever moves it meanwhile. Method: as in
 * RacesIT, the first is held before its COMMIT, and the second is seen to wait in the server, or answers.
 */
@QueueTest
class BodyRaceIT extends RowRace {

  private final MessageProducer producer = MessageProducer.create();

  BodyRaceIT(QueueDatabase database) {
    super(database);
  }

  private static NewMessage message() {
    return NewMessage.of(TOPIC, "x".repeat(300_000));
  }

  private MessageId enqueue() {
    return producer.enqueue(database.dataSource(), message());
  }

  private Claim claim() {
    return claims().get(0);
  }

  private int sweep() {
    return player.get(BodySweep.class).sweepAll(10);
  }

  private long chunks() {
    return database.count("SELECT COUNT(*) FROM queue_payload_chunk");
  }

  @Test
  void sweep_concurrentWithAnEnqueue_seesNothingOfIt() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, message());
      assertThat(sweep()).isZero();
      connection.commit();
    }
    assertThat(sweep()).isZero();
    assertThat(chunks()).isEqualTo(2);
  }

  /** As behind a balancer over several nodes, one of which lags. */
  @Test
  void sweep_whoseSecondPollIsOlder_leavesIt() throws SQLException {
    try (Connection lagging = database.connect();
        Statement statement = lagging.createStatement()) {
      Isolation.set(lagging, Connection.TRANSACTION_REPEATABLE_READ);
      lagging.setAutoCommit(false);
      statement.executeQuery("SELECT COUNT(*) FROM queue_message").close();
      enqueue();
      AtomicInteger looks = new AtomicInteger(Integer.MAX_VALUE);
      FreshConnections nodes =
          new FreshConnections(() -> looks.decrementAndGet() == 0 ? lagging : database.connect());
      BodySweep sweep = new Core(nodes, TransactionProbe.NONE).get(BodySweep.class);
      looks.set(2);
      assertThat(sweep.sweepAll(10)).isZero();
      assertThat(looks).hasNonPositiveValue();
    }
    assertThat(chunks()).isEqualTo(2);
  }

  @Test
  void sweep_concurrentWithADeadLetter_leavesIt() throws Exception {
    enqueue();
    Claim claim = claim();
    assertThat(external.passes(Transition.DEAD_LETTER, () -> deadLetter(claim), this::sweep))
        .isZero();
    assertThat(sweep()).isZero();
    assertThat(chunks()).isEqualTo(2);
  }

  @Test
  void sweep_concurrentWithARedrive_leavesIt() throws Exception {
    MessageId id = enqueue();
    deadLetter(claim());
    DeadLetters letters = player.get(DeadLetters.class);
    assertThat(external.passes(Transition.REDRIVE, () -> letters.redrive(id), this::sweep))
        .isZero();
    assertThat(sweep()).isZero();
    assertThat(chunks()).isEqualTo(2);
  }

  @Test
  void sweep_concurrentWithAnAck_comesAgain() throws Exception {
    enqueue();
    Claim claim = claim();
    assertThat(external.passes(Transition.ACK, () -> ack(List.of(claim)), this::sweep)).isZero();
    assertThat(sweep()).isEqualTo(1);
    assertThat(chunks()).isZero();
  }

  @Test
  void sweep_concurrentWithASweep_waitsAndFindsNothing() throws Exception {
    MessageId id = enqueue();
    database.execute("DELETE FROM queue_message WHERE id = " + id);
    assertThat(
            external.follows(
                Transition.SWEEP_BODIES, this::sweep, "queue_payload_chunk", this::sweep))
        .isZero();
    assertThat(chunks()).isZero();
    assertThat(player.gate().repetitions()).isEmpty();
  }

  @Test
  void discard_concurrentWithARedrive_leavesTheBodyToTheMessage() throws Exception {
    MessageId id = enqueue();
    deadLetter(claim());
    DeadLetters letters = player.get(DeadLetters.class);
    assertThat(
            external.follows(
                Transition.REDRIVE,
                () -> letters.redrive(id),
                "queue_dead_letter",
                () -> letters.discardAll(List.of(id))))
        .isZero();
    assertThat(sweep()).isZero();
    assertThat(chunks()).isEqualTo(2);
  }
}
