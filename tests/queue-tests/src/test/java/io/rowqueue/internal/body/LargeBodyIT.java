package io.rowqueue.internal.body;

import static io.rowqueue.internal.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.Jooq;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@QueueTest
class LargeBodyIT {

  private static final int CHUNK = 256 << 10;
  private static final int SMALL = 32 << 10;
  private static final HandlerSettings PLAIN = HandlerSettings.defaults();

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private final LargePayloads bodies = new LargePayloads();

  LargeBodyIT(QueueDatabase database) {
    this.database = database;
  }

  private static NewMessage message(int length) {
    return NewMessage.of(TOPIC, LargePayloads.bytes(length));
  }

  private static NewMessage streamed(int length) {
    return NewMessage.streamed(TOPIC, LargePayloads.source(length));
  }

  private MessageId enqueue(NewMessage message) {
    return producer.enqueue(database.dataSource(), message);
  }

  private List<String> rows() {
    return database.strings(
        "SELECT CONCAT(OCTET_LENGTH(payload), ' ', COALESCE(headers, 'none')) FROM queue_message"
            + " ORDER BY id");
  }

  @Test
  void bytes_aboveTheThreshold_lieOutsideTheirRows() {
    producer.enqueueAll(
        database.dataSource(),
        List.of(
            message(SMALL),
            message(SMALL + 1),
            message(CHUNK),
            message(CHUNK + 1).withHeader("a", "b")));
    assertThat(rows())
        .containsExactly(
            SMALL + " none",
            "0 {\"rowqueue-body\":\"rows\"}",
            "0 {\"rowqueue-body\":\"rows\"}",
            "0 {\"a\":\"b\",\"rowqueue-body\":\"rows\"}");
    assertThat(LargePayloads.chunks(database))
        .containsExactly(
            "1 of " + (SMALL + 1) + ", 1 last, 1 digest",
            "1 of " + CHUNK + ", 1 last, 1 digest",
            "2 of " + (CHUNK + 1) + ", 1 last, 1 digest");
  }

  @Test
  void everyWayToEnqueue_andToHandle_bringsTheSameBytes() throws SQLException {
    enqueue(message(100_000));
    enqueue(streamed(0));
    enqueue(streamed(3 * CHUNK));
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, streamed(600_000));
      connection.commit();
      JooqSettings.dsl(connection, ServerDialect.of(connection))
          .transaction(
              tx ->
                  Jooq.inTransaction(
                      tx.dsl(),
                      own -> producer.enqueueAll(own, List.of(streamed(1), message(200_000)))));
    }
    String[] expected = {
      LargePayloads.digest(100_000),
      LargePayloads.digest(0),
      LargePayloads.digest(3 * CHUNK),
      LargePayloads.digest(600_000),
      LargePayloads.digest(1),
      LargePayloads.digest(200_000)
    };
    try (TestWorker worker = TestWorker.start(database, bodies.streams(PLAIN))) {
      Orders.awaitNoneLeft(database);
      assertThat(bodies.handled).containsExactlyInAnyOrder(expected);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
    bodies.handled.clear();
    producer.enqueueAll(
        database.dataSource(), List.of(message(100_000), streamed(3 * CHUNK), message(10)));
    try (TestWorker worker = TestWorker.start(database, bodies.whole(PLAIN))) {
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
    assertThat(bodies.handled)
        .containsExactlyInAnyOrder(
            LargePayloads.digest(100_000),
            LargePayloads.digest(3 * CHUNK),
            LargePayloads.digest(10));
  }

  @Test
  void sqlOfAnyClient_mayWriteTheChunksItself() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        PreparedStatement chunk =
            connection.prepareStatement(
                "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES"
                    + " (LAST_INSERT_ID(), ?, ?, ?)")) {
      connection.setAutoCommit(false);
      statement.execute(
          "INSERT INTO queue_message (topic, headers, payload) VALUES ('film',"
              + " '{\"rowqueue-body\": \"rows\"}', '')");
      for (int seq = 0; seq < 3; seq++) {
        chunk.setInt(1, seq);
        chunk.setInt(2, seq / 2);
        chunk.setBytes(3, LargePayloads.bytes(50_000 + seq));
        chunk.execute();
      }
      connection.commit();
    }
    AtomicInteger length = new AtomicInteger();
    Orders.drain(
        database,
        TestWorker.start(
            database,
            LargePayloads.streams((in, context) -> length.set(in.readAllBytes().length))));
    assertThat(length).hasValue(150_003);
  }

  @Test
  void typedPayload_aboveTheThreshold_isDecoded() {
    record Text(String text) {}
    String text = "x".repeat(100_000);
    enqueue(NewMessage.of(TOPIC, new Text(text)));
    AtomicInteger length = new AtomicInteger();
    Orders.drain(
        database,
        TestWorker.start(
            database,
            LambdaHandlers.bind(
                TOPIC, Text.class, (decoded, context) -> length.set(decoded.text().length()))));
    assertThat(length).hasValue(100_000);
  }

  /** More than a chunk, and then the source breaks. */
  private static InputStream breaking() {
    return new FilterInputStream(new ByteArrayInputStream(new byte[CHUNK + 12])) {
      @Override
      public int read(byte[] to, int from, int length) throws IOException {
        int read = super.read(to, from, length);
        if (read < 0) {
          throw new IOException("the disk is gone");
        }
        return read;
      }
    };
  }

  @Test
  void streamThatBreaksOrIsTooLong_leavesTheCallersTransactionAsItWas() throws SQLException {
    MessageProducer strict =
        MessageProducer.create(
            PayloadCodec.json(), MessageLimits.defaults().withStreamedBytes(CHUNK + 5));
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, message(10));
      assertThatThrownBy(
              () ->
                  producer.enqueueAll(
                      connection,
                      List.of(message(100_000), NewMessage.streamed(TOPIC, LargeBodyIT::breaking))))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("the disk is gone");
      assertThatThrownBy(() -> strict.enqueue(connection, streamed(CHUNK + 6)))
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("withStreamedBytes");
      connection.commit();
    }
    assertThat(rows()).containsExactly("10 none");
    assertThat(database.count(LargePayloads.CHUNKS)).isZero();
  }

  @Test
  void handlerThatRunsAgain_readsFromTheBeginning() {
    enqueue(streamed(600_000));
    AtomicInteger runs = new AtomicInteger();
    Orders.drain(
        database,
        TestWorker.start(
            database,
            LargePayloads.streams(
                (in, context) -> {
                  bodies.handled.add(LargePayloads.digest(in));
                  int run = runs.incrementAndGet();
                  if (run == 1) {
                    Orders.swallowDeadlock(context);
                  } else if (run == 2) {
                    throw new IllegalStateException("an attempt");
                  }
                })));
    String digest = LargePayloads.digest(600_000);
    assertThat(bodies.handled).containsExactly(digest, digest, digest);
  }

  @Test
  void handlerThatReadsNothing_isAcked() {
    enqueue(streamed(600_000));
    try (TestWorker worker =
        TestWorker.start(
            database,
            LargePayloads.streams((in, context) -> bodies.handled.add(context.topic().name())))) {
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, LargePayloads.CHUNKS, 0);
    }
    assertThat(bodies.handled).containsExactly(TOPIC);
  }

  @Test
  void overTheLimit_isTooLargeForWhoWantsItWhole_andNotForAStream() {
    enqueue(streamed(5 << 20));
    Orders.assertDies(database, "too-large", TestWorker.start(database, bodies.whole(PLAIN)));
    assertThat(database.count(LargePayloads.CHUNKS)).isEqualTo(20);
    redrive();
    Orders.drain(database, TestWorker.start(database, bodies.streams(PLAIN)));
    assertThat(bodies.handled).containsExactly(LargePayloads.digest(5 << 20));
  }

  private void redrive() {
    DeadLetters letters = QueueOperations.of(database.dataSource()).deadLetters();
    List<MessageId> ids =
        database.strings("SELECT id FROM queue_dead_letter").stream()
            .map(id -> new MessageId(Long.parseLong(id)))
            .toList();
    assertThat(letters.redriveAll(ids)).isEqualTo(ids.size());
  }

  @Test
  void bodyMissing_isADeadLetterAtOnce_andRunsOnceItIsThereAgain() {
    MessageId id = enqueue(streamed(600_000));
    database.execute(
        "CREATE TABLE kept AS SELECT * FROM queue_payload_chunk WHERE seq = 2",
        "DELETE FROM queue_payload_chunk WHERE seq = 2");
    try (TestWorker worker = TestWorker.start(database, bodies.streams(PLAIN))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("body-missing");
      assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
          .contains("chunk 2 of the payload of message " + id);
      database.execute("INSERT INTO queue_payload_chunk SELECT * FROM kept", "DROP TABLE kept");
      redrive();
      Orders.awaitNoneLeft(database);
    }
    assertThat(bodies.handled).containsExactly(LargePayloads.digest(600_000));
  }

  @Test
  void handlerThatSwallowsADamagedBody_isNotAcked() {
    Orders.openBooks(database);
    enqueue(streamed(600_000));
    database.execute(
        "UPDATE queue_payload_chunk SET bytes = INSERT(bytes, 1000, 1, '!') WHERE seq = 1");
    Orders.assertDies(
        database,
        "body-missing",
        TestWorker.start(
            database,
            LargePayloads.streams(
                (in, context) -> {
                  context.transaction().execute("INSERT INTO handled VALUES (1, 1)");
                  try {
                    bodies.handled.add(LargePayloads.digest(in));
                  } catch (IOException | UncheckedIOException e) {
                    bodies.handled.add("swallowed");
                  }
                })));
    assertThat(bodies.handled).containsExactly("swallowed");
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void placeThatNobodyKnowsHere_isLeftToOthers() {
    MessageId id = enqueue(message(100_000));
    database.execute(
        "UPDATE queue_message SET headers = REPLACE(headers, 'rows', 'elsewhere') WHERE id = "
            + id);
    try (TestWorker worker = TestWorker.start(database, bodies.whole(PLAIN))) {
      Orders.awaitCount(
          database, "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND claim_number = 1", 1);
    }
    assertThat(database.count("SELECT attempts FROM queue_message")).isZero();
  }

  @Test
  void streamOfAnother_isRefusedWhereItWouldBeReadOnce() throws IOException {
    try (InputStream in = breaking()) {
      assertThatThrownBy(() -> enqueue(NewMessage.of(TOPIC, in)))
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("NewMessage.streamed");
    }
  }
}
