package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.Jooq;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class EnqueueIT {

  private static final String ALL = "SELECT COUNT(*) FROM queue_message";

  private final MessageProducer producer = MessageProducer.create();

  private final QueueDatabase database;

  EnqueueIT(QueueDatabase database) {
    this.database = database;
  }

  private static List<NewMessage> orders(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList();
  }

  @Test
  void batch_ofTenThousand_allOrNoneWithTheBusinessChange() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(producer.enqueueAll(connection, orders(10_000))).hasSize(10_000);
      connection.rollback();
      assertThat(database.count(ALL)).isZero();

      List<MessageId> ids = producer.enqueueAll(connection, orders(10_000));
      connection.commit();
      assertThat(ids).doesNotHaveDuplicates().isSorted();
      assertThat(database.strings("SELECT id FROM queue_message ORDER BY id"))
          .containsExactlyElementsOf(ids.stream().map(MessageId::toString).toList());
    }
  }

  @Test
  void batch_largerThanAPacket_isChunkedByBytes() {
    byte[] megabyte = new byte[1 << 20];
    List<NewMessage> messages =
        IntStream.range(0, 40).mapToObj(i -> NewMessage.of("bytes", megabyte)).toList();
    MessageProducer.create(PayloadCodec.json(), MessageLimits.defaults().withBodyAbove(4 << 20))
        .enqueueAll(database.dataSource(), messages);
    assertThat(database.count("SELECT SUM(OCTET_LENGTH(payload)) FROM queue_message"))
        .isEqualTo(40L << 20);
  }

  @Test
  void batch_failingInItsMiddle_leavesTheCallersTransactionAsItWas() throws SQLException {
    database.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON queue_message FOR EACH ROW BEGIN IF NEW.priority ="
            + " 5 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused by trigger'; END IF;"
            + " END");
    List<NewMessage> messages = new ArrayList<>(orders(2_500));
    messages.set(2_400, messages.get(2_400).withPriority(5));
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO queue_counter VALUES ('business', 0, 1)");
      assertThatThrownBy(() -> producer.enqueueAll(connection, messages))
          .hasMessageContaining("refused by trigger");
      connection.commit();
    } finally {
      database.execute("DROP TRIGGER refuse");
    }
    assertThat(database.count(ALL)).isZero();
    assertThat(database.count("SELECT amount FROM queue_counter")).isEqualTo(1);
  }

  @Test
  void enqueue_inJooqTransaction_sharesItsFate() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      DSLContext dsl = JooqSettings.dsl(connection, ServerDialect.of(connection));
      assertThatThrownBy(
              () ->
                  dsl.transaction(
                      tx -> {
                        enqueue(tx.dsl());
                        throw new IllegalStateException("business failure");
                      }))
          .hasMessageContaining("business failure");
      assertThat(database.count(ALL)).isZero();

      dsl.transaction(tx -> enqueue(tx.dsl()));
      assertThat(database.count(ALL)).isEqualTo(1);

      assertThatThrownBy(() -> enqueue(dsl))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is in auto-commit mode");
    }
  }

  private MessageId enqueue(DSLContext dsl) {
    NewMessage message = NewMessage.of("order", new Order(1));
    return Jooq.inTransaction(dsl, connection -> producer.enqueue(connection, message));
  }

  @Test
  void dueTimes_acrossZonesAndADaylightSavingGap_areExact() {
    // Europe/Berlin, the tests' zone, has no 02:30 on 29 March 2026 and two of them on 25 October
    // 2026.
    List<Instant> instants =
        List.of(
            Instant.parse("2099-03-29T01:30:00.123456Z"),
            Instant.parse("2026-03-29T00:59:59.999999Z"),
            Instant.parse("2026-03-29T01:30:00Z"),
            Instant.parse("2026-10-25T00:30:00Z"),
            Instant.parse("2026-10-25T01:30:00Z"));
    for (Instant instant : instants) {
      producer.enqueue(
          database.dataSource(), NewMessage.of("order", new Order(1)).withDueAt(instant));
    }
    assertThat(
            database.strings(
                "SELECT DATE_FORMAT(due_at, '%Y-%m-%dT%H:%i:%s.%fZ') FROM queue_message ORDER BY"
                    + " id"))
        .extracting(Instant::parse)
        .containsExactlyElementsOf(instants);
    assertThat(database.strings("SELECT state FROM queue_message ORDER BY id LIMIT 1"))
        .containsExactly("2");
  }

  /** One statement has the columns that any of its messages needs. */
  @Test
  void batch_ofUnlikeMessages_storesEachAsGiven() {
    NewMessage plain = NewMessage.of("order", new Order(1));
    producer.enqueueAll(
        database.dataSource(),
        List.of(
            plain,
            plain.withPriority(7),
            plain.withHeader("a", "b"),
            plain.withDelay(Duration.ofMinutes(10)),
            plain.withDueAt(Instant.parse("2099-01-31T08:00:00Z")),
            plain.withDueAt(Instant.parse("2020-01-31T08:00:00Z")),
            plain));
    assertThat(column("priority")).containsExactly("0", "7", "0", "0", "0", "0", "0");
    assertThat(column("state")).containsExactly("0", "0", "0", "2", "2", "0", "0");
    assertThat(column("IFNULL(headers, '-')"))
        .containsExactly("-", "-", "{\"a\":\"b\"}", "-", "-", "-", "-");
    assertThat(column("TIMESTAMPDIFF(MINUTE, created_at, due_at)"))
        .startsWith("0", "0", "0", "10")
        .endsWith("0");
    assertThat(column("DATE(due_at)").subList(4, 6)).containsExactly("2099-01-31", "2020-01-31");
    assertThat(column("payload")).containsOnly("{\"number\":1}");
  }

  private List<String> column(String expression) {
    return database.strings("SELECT " + expression + " FROM queue_message ORDER BY id");
  }

  @Test
  void batch_withOneThatIsTooLarge_writesNothing() {
    List<NewMessage> tooLarge = new ArrayList<>(orders(10));
    tooLarge.add(NewMessage.of("order", new byte[17 << 20]));
    assertThatThrownBy(() -> producer.enqueueAll(database.dataSource(), tooLarge))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("over the limit of 4,194,304");
    assertThat(database.count(ALL)).isZero();
  }

  @Test
  void payload_overTheServersPacket_isRefusedByName() throws SQLException {
    MessageProducer generous =
        MessageProducer.create(
            PayloadCodec.json(),
            MessageLimits.defaults().withPayloadBytes(200 << 20).withBodyAbove(200 << 20));
    long packet = database.count("SELECT @@max_allowed_packet");
    byte[] larger = new byte[(int) packet + 1];
    assertThatThrownBy(
            () -> generous.enqueue(database.dataSource(), NewMessage.of("bytes", larger)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("max_allowed_packet");
  }

  @Test
  void connection_thatCommitsByItself_isRefused() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      assertThatThrownBy(() -> producer.enqueue(connection, NewMessage.of("order", new Order(1))))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  @Test
  void row_withBadJson_isSetAsideAndCostsNoNeighbour() {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', 'no json')",
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('order', '{\"number\":1}',"
            + " '[')",
        "INSERT INTO queue_message (topic, payload) VALUES ('order', '{\"number\":2}')",
        "INSERT INTO queue_message (topic, payload) VALUES ('nobody', '{\"number\":3}')");
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
      Orders.awaitCount(database, Orders.DEAD, 2);
      assertThat(database.strings("SELECT DISTINCT reason FROM queue_dead_letter"))
          .containsExactly("undecodable");
      assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("nobody");
    }
  }

  @Test
  void row_beyondTheLimit_isSetAsideWithoutBeingLoaded() {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 5000000))",
        "INSERT INTO queue_message (topic, payload)"
            + " VALUES ('order', CONCAT('{\"number\":7,\"rest\":\"', REPEAT('x', 100000), '\"}'))");
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("too-large");
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
  }

  @Test
  void row_availableButDueLater_becomesScheduled() {
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at)"
            + " VALUES ('order', '{\"number\":1}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message WHERE state = 2", 1);
      assertThat(database.count(Orders.HANDLED)).isZero();
    }
  }

  @Test
  void message_withDelay_isHandledWhenItIsDue() {
    MessageProducer.create()
        .enqueue(
            database.dataSource(),
            NewMessage.of("order", new Order(1)).withDelay(Duration.ofMillis(1500)));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 2")).isEqualTo(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) ->
                context
                    .transaction()
                    .execute(
                        "INSERT INTO handled SELECT ?, TIMESTAMPDIFF(MICROSECOND, due_at,"
                            + " UTC_TIMESTAMP(6)) >= 0 FROM queue_message WHERE id = ?",
                        order.number(),
                        context.id().value()))) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM handled WHERE attempt = 1", 1);
    }
  }
}
