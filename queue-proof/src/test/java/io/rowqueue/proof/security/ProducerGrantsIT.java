package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.database.Transactions;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.enqueue.EnqueueException;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.MemoryStore;
import io.rowqueue.schema.QueueSchema;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.grant.Role;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

/** Accounts of producers: of messages, copies, lines, batches, and of what looks for room. */
@QueueTest
class ProducerGrantsIT {

  private final QueueDatabase database;

  ProducerGrantsIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void publish_onTopOfProducer_publishes_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.PRODUCER, Role.PUBLISH)) {
      Plays plays = new Plays(database);
      plays.add(
          "publish",
          () -> {
            SubscriptionPlays.row(database);
            MessageProducer.create().publish(account.dataSource(), message()).requireCopies();
          });
      account.assertExact(Role.PUBLISH, plays);
    }
  }

  @Test
  void producer_withExactlyItsScript_enqueuesInEveryWay_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.PRODUCER)) {
      DataSource dataSource = account.dataSource();
      Plays plays = new Plays(database);
      plays.add("enqueue by DataSource", () -> byDataSource(dataSource));
      plays.add("enqueue by Connection", () -> byConnection(dataSource));
      plays.add("enqueue by jOOQ", () -> byJooq(dataSource));
      plays.add("enqueue by SQL", () -> bySql(dataSource));
      plays.add("enqueue beside the row", () -> beside(MessageProducer.create(), dataSource));
      plays.add(
          "enqueue into a store",
          () -> beside(MessageProducer.create().storing(new MemoryStore(), 0), dataSource));
      plays.add(
          "check the schema, as the command line does",
          () -> QueueSchema.of(Transactions.on(dataSource)).check());
      account.assertExact(Role.PRODUCER, plays);
    }
  }

  private static void beside(MessageProducer producer, DataSource dataSource) {
    producer.enqueue(
        dataSource, NewMessage.streamed("play", () -> new ByteArrayInputStream(new byte[300_000])));
  }

  @Test
  void deduplication_withExactlyItsScript_enqueuesUnderKeys_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.PRODUCER, Role.DEDUPLICATION)) {
      DataSource dataSource = account.dataSource();
      Plays plays = new Plays(database);
      Deduplication rule = Deduplication.whileWaiting("k").replacing();
      plays.add(
          "replace",
          () -> {
            MessageProducer producer = MessageProducer.create();
            producer.enqueue(dataSource, message().withDeduplication(rule));
            producer.enqueue(dataSource, message().withDeduplication(rule));
          });
      account.assertExact(Role.DEDUPLICATION, plays);
    }
  }

  @Test
  void order_withExactlyItsScript_enqueuesIntoLines_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.PRODUCER, Role.ORDER)) {
      Plays plays = new Plays(database);
      new LinePlays(database, account.dataSource()).addProducers(plays);
      account.assertExact(Role.ORDER, plays);
    }
  }

  @Test
  void batch_withExactlyItsScript_enqueuesBatchesAndChains_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.PRODUCER, Role.BATCH)) {
      Plays plays = new Plays(database);
      new MemberPlays(database, account.dataSource()).addProducers(plays);
      account.assertExact(Role.BATCH, plays);
    }
  }

  @Test
  void room_withExactlyItsScript_readsVerdictsAndJudges_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.ROOM)) {
      DataSource dataSource = account.dataSource();
      Plays plays = new Plays(database);
      plays.add(
          "read the verdicts",
          () -> {
            judged(1, 0);
            assertOverfull(dataSource);
          });
      plays.add(
          "judge where nobody does",
          () -> {
            judged(0, 3_600);
            bySql(database.dataSource());
            bySql(database.dataSource());
            assertOverfull(dataSource);
          });
      account.assertExact(Role.ROOM, plays);
    }
  }

  /** A topic that is overfull with two messages, and when it was judged last. */
  private void judged(int overfull, int secondsAgo) {
    database.execute(
        "INSERT INTO queue_topic (topic, max_depth) VALUES ('play', 1)",
        "INSERT INTO queue_depth VALUES ('play', %d, 0, 0, 1, UTC_TIMESTAMP(6) - INTERVAL %d SECOND)"
            .formatted(overfull, secondsAgo));
  }

  private static void assertOverfull(DataSource account) {
    assertThat(TopicRoom.over(account).isOverfull(new Topic("play"))).isTrue();
  }

  private static NewMessage message() {
    return NewMessage.of("play", "p").withHeader("a", "b").withPriority(1);
  }

  private static void byDataSource(DataSource account) {
    MessageProducer.create()
        .enqueueAll(
            account,
            List.of(
                message(),
                message().withDelay(Duration.ofHours(1)),
                message().withDueAt(Instant.parse("2090-01-01T00:00:00Z"))));
  }

  private static void byConnection(DataSource account) {
    try (Connection connection = account.getConnection()) {
      connection.setAutoCommit(false);
      MessageProducer.create().enqueue(connection, message());
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void byJooq(DataSource account) {
    DSL.using(account, SQLDialect.MYSQL)
        .transaction(tx -> MessageProducer.create().enqueue(tx.dsl(), message()));
  }

  private static void bySql(DataSource account) {
    try (Connection connection = account.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO queue_message (topic, payload) VALUES ('play', '{}')");
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Test
  void producer_thatMayNotInsert_isToldWhereTheGrantsAre() {
    try (Accounts account = Accounts.with(database, Role.SCHEDULE)) {
      assertThatThrownBy(() -> byConnection(account.dataSource()))
          .isInstanceOf(EnqueueException.class)
          .hasMessageContaining("denied")
          .hasMessageContaining("`queue-worker grants` prints what each account needs");
    }
    Set<String> producers;
    try (Accounts account = Accounts.with(database, Role.PRODUCER)) {
      producers = new OperatorPlays(database, account.dataSource()).all().failing();
    }
    assertThat(producers)
        .as("a producer can do nothing that operators do")
        .hasSizeGreaterThan(15)
        .filteredOn(failure -> !failure.contains("`queue-worker grants`"))
        .isEmpty();
  }
}
