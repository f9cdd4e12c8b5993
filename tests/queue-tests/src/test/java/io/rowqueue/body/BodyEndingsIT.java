package io.rowqueue.body;

import static io.rowqueue.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import java.io.InputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A payload beside its message's row is gone with it, whichever way it goes. */
@QueueTest
class BodyEndingsIT {

  /** How messages are handled. */
  enum Way {
    ALONE,
    SHARED,
    GROUPED_ACKS,
    BATCH
  }

  private final QueueDatabase database;
  private final LargePayloads bodies = new LargePayloads();

  BodyEndingsIT(QueueDatabase database) {
    this.database = database;
  }

  private List<MessageId> enqueue(int count) {
    return MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count)
                .mapToObj(i -> NewMessage.of(TOPIC, LargePayloads.bytes(40_000 + i)))
                .toList());
  }

  private Module handler(Way way) {
    HandlerSettings plain = HandlerSettings.defaults();
    return switch (way) {
      case ALONE -> bodies.streams(plain);
      case SHARED -> bodies.streams(plain.withSharedCommit());
      case GROUPED_ACKS -> bodies.streams(plain.withoutTransaction());
      case BATCH ->
          LambdaHandlers.bindBatch(
              TOPIC,
              InputStream.class,
              batch -> {
                for (var delivery : batch) {
                  bodies.handled.add(LargePayloads.digest(delivery.payload()));
                }
              },
              plain);
    };
  }

  @ParameterizedTest
  @EnumSource
  void ack_ofEveryWay_takesTheBodiesAlong(Way way) {
    enqueue(20);
    try (TestWorker worker = TestWorker.start(database, handler(way))) {
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
    assertThat(bodies.handled)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 20).mapToObj(i -> LargePayloads.digest(40_000 + i)).toList());
  }

  @ParameterizedTest
  @EnumSource
  void damaged_ofEveryWay_costsItsNeighboursNothing(Way way) {
    MessageId damaged = enqueue(7).get(3);
    database.execute("UPDATE queue_body SET bytes = 'x' WHERE message_id = " + damaged);
    try (TestWorker worker = TestWorker.start(database, handler(way))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("body-missing");
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 1);
    }
    assertThat(database.strings("SELECT id FROM queue_dead_letter"))
        .containsExactly(damaged.toString());
  }

  @Test
  void deadLetter_andRedrive_keepIt_andDiscardLeavesItToTheSweep() {
    MessageId id = enqueue(1).get(0);
    try (TestWorker worker =
        TestWorker.start(
            database,
            LargePayloads.streams(
                (in, context) -> {
                  throw new PermanentFailure("never");
                }))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("permanent-failure");
      BodySweep sweep = worker.get(BodySweep.class);
      assertThat(sweep.sweepAll(10)).isZero();
      assertThat(sweep.sweep(List.of(id))).isZero();
    }
    DeadLetters letters = DeadLetters.of(Transactions.on(database.dataSource()));
    assertThat(letters.redrive(id)).isTrue();
    try (TestWorker idle = TestWorker.create(database, config -> config, handler(Way.ALONE))) {
      assertThat(idle.get(BodySweep.class).sweepAll(10)).isZero();
    }
    LargePayloads.assertChunksOf(database, id, 1);
    try (TestWorker running =
        TestWorker.start(
            database,
            LargePayloads.streams(
                (in, context) -> {
                  throw new PermanentFailure("again");
                }))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("permanent-failure");
    }
    // A worker that runs might sweep first.
    try (TestWorker idle = TestWorker.create(database, config -> config, handler(Way.ALONE))) {
      assertThat(letters.discardAll(List.of(id))).isEqualTo(1);
      assertThat(idle.get(BodySweep.class).sweepAll(10)).isEqualTo(1);
    }
    assertThat(database.count(LargePayloads.CHUNKS)).isZero();
  }

  /** Several batches of ids, and more chunks than one transaction deletes. */
  @Test
  void sweep_ofAll_leavesWhatHasAMessage() {
    List<MessageId> ids = enqueue(7);
    MessageId larger =
        MessageProducer.create()
            .enqueue(
                database.dataSource(), NewMessage.streamed(TOPIC, LargePayloads.source(9 << 20)));
    database.execute(
        "DELETE FROM queue_message WHERE id IN (%s, %s, %s)"
            .formatted(ids.get(0), ids.get(6), larger));
    try (TestWorker idle = TestWorker.create(database, config -> config, handler(Way.ALONE))) {
      assertThat(idle.get(BodySweep.class).sweepAll(2)).isEqualTo(3);
    }
    assertThat(database.strings("SELECT DISTINCT message_id FROM queue_body ORDER BY message_id"))
        .containsExactlyElementsOf(ids.subList(1, 6).stream().map(MessageId::toString).toList());
  }
}
