package io.rowqueue.body;

import static io.rowqueue.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.Orders;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the other features make of payloads beside their rows. */
@QueueTest
class BodyFeaturesIT {

  private static final HandlerSettings PLAIN = HandlerSettings.defaults();
  private static final String HEADERS = "SELECT COALESCE(headers, 'none') FROM queue_message";

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private final LargePayloads bodies = new LargePayloads();

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
    Subscriptions subscriptions = Subscriptions.of(transactions());
    subscriptions.subscribe("cinema", TOPIC);
    subscriptions.subscribe("cinema", "elsewhere");
    producer.publishAll(
        database.dataSource(),
        List.of(
            streamed(600_000).withTopic(new Topic("cinema")),
            NewMessage.of("cinema", LargePayloads.bytes(40_000))));
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(2 * (3 + 1));
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            bodies.streams(PLAIN),
            LambdaHandlers.bind("elsewhere", InputStream.class, bodies.reading()))) {
      Orders.awaitNoneLeft(database);
    }
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
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            bodies.streams(PLAIN),
            binder -> WrapperBinder.allow(binder, Deflate.reader()))) {
      Orders.awaitNoneLeft(database);
    }
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
    Schedules schedules = Schedules.of(transactions());
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
    Topics.of(transactions()).keep(new Topic(TOPIC), 7);
    producer.enqueue(database.dataSource(), streamed(600_000));
    handleAll();
    assertThat(
            database.strings(
                "SELECT CONCAT(OCTET_LENGTH(payload), ' ', headers) FROM queue_archive"))
        .containsExactly("0 {\"rowqueue-body\":\"rows\"}");
  }
}
