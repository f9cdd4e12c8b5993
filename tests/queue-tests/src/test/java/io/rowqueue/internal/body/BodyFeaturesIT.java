package io.rowqueue.internal.body;

import static io.rowqueue.internal.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.spi.Deflate;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Core;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class BodyFeaturesIT {

  private static final HandlerSettings PLAIN = HandlerSettings.defaults();
  private static final String HEADERS = "SELECT COALESCE(headers, 'none') FROM queue_message";

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private final LargePayloads bodies = new LargePayloads();
  @TempDir private Path folder;

  BodyFeaturesIT(QueueDatabase database) {
    this.database = database;
  }

  private static NewMessage streamed(int length) {
    return NewMessage.streamed(TOPIC, LargePayloads.source(length));
  }

  private Transactions transactions() {
    return Transactions.on(database.dataSource());
  }

  private void handleAll() {
    try (TestWorker worker = TestWorker.start(database, bodies.streams(PLAIN))) {
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
  }

  @Test
  void publication_hasABodyForEachCopy() {
    Subscriptions subscriptions = new JooqSubscriptions(transactions());
    subscriptions.subscribe("cinema", TOPIC);
    subscriptions.subscribe("cinema", "elsewhere");
    producer.publishAll(
        database.dataSource(),
        List.of(
            streamed(600_000).withTopic(new Topic("cinema")),
            NewMessage.of("cinema", LargePayloads.bytes(40_000))));
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(2 * (3 + 1));
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config,
            bodies.streams(PLAIN),
            LambdaHandlers.bind("elsewhere", InputStream.class, bodies.reading())));
    String streamed = LargePayloads.digest(600_000);
    String bytes = LargePayloads.digest(40_000);
    assertThat(bodies.handled).containsExactlyInAnyOrder(streamed, streamed, bytes, bytes);
  }

  @Test
  void wrappedPayload_isCompressedFirst_andAStreamOfSuchATopicIsRefused() {
    MessageProducer wrapping = producer.wrapping(Wrapping.none().forTopic(TOPIC, Deflate.above(0)));
    byte[] noise = LargePayloads.bytes(200_000);
    wrapping.enqueueAll(
        database.dataSource(),
        List.of(NewMessage.of(TOPIC, new byte[200_000]), NewMessage.of(TOPIC, noise)));
    assertThatThrownBy(() -> wrapping.enqueue(database.dataSource(), streamed(10)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("are wrapped");
    assertThat(database.strings(HEADERS + " ORDER BY id").get(0)).doesNotContain("rowqueue-body");
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config,
            bodies.streams(PLAIN),
            binder -> WrapperBinder.allow(binder, Deflate.reader())));
    assertThat(bodies.handled)
        .containsExactlyInAnyOrder(
            LargePayloads.digest(new byte[200_000]), LargePayloads.digest(noise));
  }

  @Test
  void deduplication_leavesABodyOut_andReplacesInRowsOnly() {
    NewMessage once = streamed(600_000).withDeduplication(Deduplication.whileAlive("k"));
    producer.enqueue(database.dataSource(), once);
    producer.enqueue(database.dataSource(), once);
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(3);
    Deduplication replacing = Deduplication.whileWaiting("r").replacing();
    assertThatThrownBy(
            () ->
                producer.enqueue(database.dataSource(), streamed(10).withDeduplication(replacing)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("cannot replace");
    for (int length : new int[] {40_000, 50_000}) {
      producer.enqueue(
          database.dataSource(),
          NewMessage.of(TOPIC, LargePayloads.bytes(length)).withDeduplication(replacing));
    }
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(3);
    handleAll();
    assertThat(bodies.handled)
        .containsExactlyInAnyOrder(LargePayloads.digest(600_000), LargePayloads.digest(50_000));
  }

  @Test
  void orderingKey_keepsLargeOnesInLine() {
    producer.enqueueAll(
        database.dataSource(),
        List.of(
            streamed(600_000).withOrderingKey("k"),
            NewMessage.of(TOPIC, LargePayloads.bytes(40_000)).withOrderingKey("k"),
            streamed(1).withOrderingKey("k")));
    handleAll();
    assertThat(bodies.handled)
        .containsExactly(
            LargePayloads.digest(600_000), LargePayloads.digest(40_000), LargePayloads.digest(1));
  }

  @Test
  void schedule_firesALargePayload_andTakesNoStream() {
    Schedules schedules = new JooqSchedules(transactions());
    byte[] bytes = LargePayloads.bytes(60_000);
    schedules.set(
        Schedule.every("film", Duration.ofHours(1)).enqueues(NewMessage.of(TOPIC, bytes)));
    assertThat(schedules.runNow("film")).isTrue();
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(1);
    assertThatThrownBy(
            () ->
                schedules.set(Schedule.every("stream", Duration.ofHours(1)).enqueues(streamed(1))))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("is a stream");
    handleAll();
    assertThat(bodies.handled).containsExactly(LargePayloads.digest(bytes));
  }

  @Test
  void archive_keepsTheHeaderAlone() {
    new JooqTopics(transactions()).change(new Topic(TOPIC), set -> set.withRetentionDays(7));
    producer.enqueue(database.dataSource(), streamed(600_000));
    handleAll();
    assertThat(
            database.strings(
                "SELECT CONCAT(OCTET_LENGTH(payload), ' ', headers) FROM queue_archive"))
        .containsExactly("0 {\"rowqueue-body\":\"rows\"}");
  }

  private List<MessageId> enqueue(int count) {
    return MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count)
                .mapToObj(i -> NewMessage.of(TOPIC, LargePayloads.bytes(40_000 + i)))
                .toList());
  }

  private Module handler(HandlingMode mode) {
    return mode.bind(TOPIC, InputStream.class, bodies.reading(), HandlerSettings.defaults());
  }

  private int sweepAll(int limit) {
    return new Core(database.dataSource(), TransactionProbe.NONE)
        .get(BodySweep.class)
        .sweepAll(limit);
  }

  @ParameterizedTest
  @EnumSource
  void ack_ofEveryWay_takesTheBodiesAlong(HandlingMode mode) {
    enqueue(20);
    try (TestWorker worker = TestWorker.start(database, handler(mode))) {
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
    assertThat(bodies.handled)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 20).mapToObj(i -> LargePayloads.digest(40_000 + i)).toList());
  }

  @ParameterizedTest
  @EnumSource
  void damaged_ofEveryWay_costsItsNeighboursNothing(HandlingMode mode) {
    MessageId damaged = enqueue(7).get(3);
    database.execute("UPDATE queue_payload_chunk SET bytes = 'x' WHERE message_id = " + damaged);
    try (TestWorker worker = TestWorker.start(database, handler(mode))) {
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
    DeadLetters letters = QueueOperations.of(database.dataSource()).deadLetters();
    assertThat(letters.redrive(id)).isTrue();
    assertThat(sweepAll(10)).isZero();
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
    assertThat(letters.discardAll(List.of(id))).isEqualTo(1);
    assertThat(sweepAll(10)).isEqualTo(1);
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
    assertThat(sweepAll(2)).isEqualTo(3);
    assertThat(
            database.strings(
                "SELECT DISTINCT message_id FROM queue_payload_chunk ORDER BY message_id"))
        .containsExactlyElementsOf(ids.subList(1, 6).stream().map(MessageId::toString).toList());
  }

  private long bytes(MessageId id) {
    return QueueOperations.of(database.dataSource()).messages().externalBodyBytes(id).orElse(-1);
  }

  private MessageId enqueue(MessageProducer by, NewMessage message) {
    return by.enqueue(database.dataSource(), message);
  }

  @Test
  void externalBodyBytes_ofChunks_isTheirSum() {
    MessageId inRow = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(100)));
    MessageId large = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(40_000)));
    MessageId streamed =
        enqueue(producer, NewMessage.streamed(TOPIC, LargePayloads.source(700_001)));
    assertThat(bytes(inRow)).isEqualTo(-1);
    assertThat(bytes(large)).isEqualTo(40_000);
    assertThat(bytes(streamed)).isEqualTo(700_001);
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, headers, payload) SELECT id,"
            + " topic, priority, claim_number, attempts, lost_claims, 'r', 'd', '', due_at,"
            + " created_at, created_at, headers, payload FROM queue_message WHERE id = "
            + large,
        "DELETE FROM queue_message WHERE id = " + large);
    assertThat(bytes(large)).isEqualTo(40_000);
    database.execute("DELETE FROM queue_payload_chunk WHERE message_id = " + large);
    assertThat(bytes(large)).isEqualTo(-1);
  }

  /** Whose length is known with the row alone: the file is not asked for. */
  @Test
  void externalBodyBytes_ofAStoredOne_isWhatItsRowSays() {
    MessageProducer storing = producer.storing(FileBodyStore.in(folder), 100_000);
    MessageId stored = enqueue(storing, NewMessage.streamed(TOPIC, LargePayloads.source(300_000)));
    assertThat(bytes(stored)).isEqualTo(300_000);
  }

  /** As of a producer in another language, which cuts as it likes. */
  @Test
  void externalBodyBytes_ofChunksBySql_countsEach() {
    MessageId id = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(10)));
    database.execute(
        "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (%1$s, 0, 0, REPEAT('é', 10)),"
                .formatted(id)
            + " (%1$s, 1, 0, ''), (%1$s, 2, 1, 'xyz')".formatted(id));
    assertThat(bytes(id)).isEqualTo(23);
  }
}
