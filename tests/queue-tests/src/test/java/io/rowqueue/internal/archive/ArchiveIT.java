package io.rowqueue.internal.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Archive;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ArchiveIT {

  private static final Topic ORDER = new Topic("order");
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String COPY =
      "INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts,"
          + " lost_claims, worker, due_at, created_at, settled_at, payload) VALUES (%d, UTC_DATE()"
          + " - INTERVAL %d DAY, '%s', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
          + " UTC_TIMESTAMP(), 'p')";

  private final MessageProducer producer = MessageProducer.create();
  private final LockId me = LockId.create("me", 1);
  private TestWorker parts;

  @BeforeEach
  void parts(QueueDatabase database) {
    parts = TestWorker.create(database, config -> config, Handlers.bind("order", (o, c) -> {}));
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private MessageId enqueue(QueueDatabase database, int number) {
    return producer.enqueue(database.dataSource(), NewMessage.of("order", new Order(number)));
  }

  private Claim claim() {
    return parts.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, me, 1, 1)).get(0);
  }

  @Test
  void archive_keptTopic_hasACopyOfEachAckInItsTransaction(QueueDatabase database) {
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(7));
    Module failingOnce =
        Handlers.bind(
            "order",
            (order, context) -> {
              takeAMillisecond();
              if (order.number() == 2 && context.attempt() == 1) {
                throw new IllegalStateException("once");
              }
              if (order.number() == 3) {
                throw new PermanentFailure("never");
              }
            });
    Module grouped =
        Handlers.bind(
            "grouped",
            (order, context) -> takeAMillisecond(),
            HandlerSettings.defaults().withoutTransaction());
    parts.get(Topics.class).change(new Topic("grouped"), set -> set.withRetentionDays(7));
    Module free = Handlers.bind("free", (order, context) -> {});
    try (TestWorker worker =
        TestWorker.create(database, config -> config, failingOnce, grouped, free)) {
      for (int i = 1; i <= 3; i++) {
        enqueue(database, i);
        producer.enqueue(database.dataSource(), NewMessage.of("grouped", new Order(i)));
        producer.enqueue(database.dataSource(), NewMessage.of("free", new Order(i)));
      }
      worker.worker().start();
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 0, SOON);
    }
    assertThat(
            database.strings(
                "SELECT CONCAT(topic, ' ', CAST(payload AS CHAR) COLLATE utf8mb4_bin, ' ',"
                    + " attempts, ' ', settled_day = UTC_DATE(), ' ',"
                    + " handling_micros BETWEEN 1000 AND 30000000) FROM queue_archive"
                    + " ORDER BY topic, id"))
        .containsExactly(
            "grouped {\"number\":1} 0 1 1",
            "grouped {\"number\":2} 0 1 1",
            "grouped {\"number\":3} 0 1 1",
            "order {\"number\":1} 0 1 1",
            "order {\"number\":2} 1 1 1");
  }

  private static void takeAMillisecond() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < 1_000_000) {
      Thread.onSpinWait();
    }
  }

  @Test
  void archive_ofMoreMessagesThanOneStatementCopies_hasEachOnesHandlingTime(
      QueueDatabase database) {
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(7));
    producer.enqueueAll(
        database.dataSource(),
        IntStream.range(0, 150).mapToObj(i -> NewMessage.of("order", new Order(i))).toList());
    List<Claim> handled = new ArrayList<>();
    for (Claim claim : parts.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, me, 150, 1))) {
      long nanos = claim.id().value() * 1_000;
      handled.add(claim.withHandled(new Handled(null, FollowUps.NOTHING, nanos)));
    }
    Collections.reverse(handled);
    assertThat(parts.get(Settler.class).ackAll(handled)).isEqualTo(150);
    assertThat(database.count("SELECT COUNT(*) FROM queue_archive WHERE handling_micros = id"))
        .isEqualTo(150);
  }

  @Test
  void archive_lostClaim_leavesNoCopy(QueueDatabase database) {
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(7));
    enqueue(database, 1);
    Claim lost = claim();
    parts.get(Settler.class).releaseAll(List.of(lost));
    assertThat(parts.get(Settler.class).ackAll(List.of(lost))).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_archive")).isZero();
  }

  /** Grouped acks commit what they can, so that no fence takes the copy back. */
  @Test
  void archive_claimTakenAwayBetweenCopyAndDelete_leavesNoCopyOfALivingMessage(
      QueueDatabase database) {
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(7));
    enqueue(database, 1);
    Claim claim = claim();
    Tap thief =
        new Tap() {
          @Override
          public void before(Sent sent, Connection real) throws SQLException {
            if (sent.begins("DELETE")) {
              takeAway(database, claim);
            }
          }
        };
    new Core(TappedConnections.over(asWorkersHaveThem(database), thief), TransactionProbe.NONE)
        .get(Settler.class)
        .ackAll(List.of(claim));
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_archive")
                + database.count("SELECT COUNT(*) FROM queue_message"))
        .isEqualTo(1);
  }

  /** One group acks both topics: only the one whose copies find no table may fail. */
  @Test
  void archive_ofGroupedAcksThatNoTableTakes_failsItsOwnMessagesOnly(QueueDatabase database) {
    HandlerSettings grouped = HandlerSettings.defaults().withoutTransaction().withMaxAttempts(1);
    AtomicInteger handled = new AtomicInteger();
    parts.get(Topics.class).change(new Topic("kept"), set -> set.withRetentionDays(7));
    database.execute("RENAME TABLE queue_archive TO nowhere");
    try (TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind("kept", (order, context) -> handled.incrementAndGet(), grouped),
            Handlers.bind("free", (order, context) -> handled.incrementAndGet(), grouped))) {
      for (int i = 0; i < 20; i++) {
        producer.enqueue(database.dataSource(), NewMessage.of("kept", new Order(i)));
        producer.enqueue(database.dataSource(), NewMessage.of("free", new Order(i)));
      }
      worker.worker().start();
      Orders.awaitNoneLeft(database);
    } finally {
      database.execute("RENAME TABLE nowhere TO queue_archive");
    }
    assertThat(handled).as("each was handled once").hasValue(40);
    assertThat(
            database.strings(
                "SELECT CONCAT(topic, ' ', reason, ' ', COUNT(*)) FROM queue_dead_letter"
                    + " GROUP BY topic, reason"))
        .containsExactly("kept settlement-refused 20");
  }

  /** In REPEATABLE READ the copy would lock what it reads by itself. */
  private static DataSource asWorkersHaveThem(QueueDatabase database) {
    return new FreshConnections(
        () -> {
          Connection connection = database.connect();
          connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
          return connection;
        });
  }

  /** As a reap does, if nothing holds it off. */
  private static void takeAway(QueueDatabase database, Claim claim) throws SQLException {
    try (Connection reaper = database.connect();
        Statement statement = reaper.createStatement()) {
      statement.execute("SET SESSION innodb_lock_wait_timeout = 1");
      statement.execute(
          "UPDATE queue_message SET state = 0, lock_id = '' WHERE id = " + claim.id());
    } catch (SQLException e) {
      if (e.getErrorCode() != LOCK_WAIT_TIMEOUT) {
        throw e;
      }
    }
  }

  @Test
  void prune_keepsTheDaysThatEachTopicHas(QueueDatabase database) {
    fillArchive(database);
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(2));
    int pruned;
    int sum = 0;
    do {
      pruned = parts.get(Archive.class).prune(10);
      sum += pruned;
    } while (pruned == 10);
    assertThat(sum).as("all of 'none', and five days of 'order'").isEqualTo(8 * 4 + 5 * 4);
    assertThat(
            database.strings(
                "SELECT CONCAT(topic, ' ', DATEDIFF(UTC_DATE(), settled_day), ' ', COUNT(*))"
                    + " FROM queue_archive GROUP BY topic, settled_day ORDER BY settled_day DESC"))
        .containsExactly("order 0 4", "order 1 4", "order 2 4");
  }

  @Test
  void prune_concurrentWithACopyThatAHandlerIsWriting_doesNotWaitForIt(QueueDatabase database)
      throws SQLException {
    fillArchive(database);
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(2));
    try (Connection handler = database.connect();
        Statement statement = handler.createStatement()) {
      handler.setAutoCommit(false);
      // The row behind the first one of 'none', which is pruned whole.
      statement.execute(COPY.formatted(3, 0, "order"));
      int pruned = assertTimeoutPreemptively(SOON, () -> parts.get(Archive.class).prune(500));
      assertThat(pruned).isEqualTo(8 * 4 + 5 * 4);
      handler.rollback();
    }
  }

  @Test
  void prune_partitionedByDay_dropsWholeDays(QueueDatabase database) {
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(2));
    fillArchive(database);
    database.execute("DELETE FROM queue_archive WHERE topic = 'none'");
    parts.get(Archive.class).partitionByDay();
    assertThat(partitions(database)).as("eight days, two to come, and later").isEqualTo(11);
    parts.get(Archive.class).maintainPartitions();
    assertThat(parts.get(Archive.class).prune(500))
        .as("rows that were deleted one by one")
        .isZero();
    assertThat(
            database.strings(
                "SELECT DISTINCT DATEDIFF(UTC_DATE(), settled_day) FROM queue_archive ORDER BY 1"))
        .containsExactly("0", "1", "2");
    assertThat(partitions(database)).as("five days fewer").isEqualTo(6);
  }

  @Test
  void tendDays_topicThatKeepsAndHasNoCopyYet_losesNothingOfToday(QueueDatabase database) {
    fillArchive(database);
    database.execute("DELETE FROM queue_archive WHERE topic = 'order'");
    parts.get(Archive.class).partitionByDay();
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(7));
    parts.get(Archive.class).maintainPartitions();
    assertThat(partitions(database)).as("every day that 'order' may keep").isEqualTo(11);
    parts.get(Topics.class).change(ORDER, set -> set.withRetentionDays(null));
    parts.get(Archive.class).maintainPartitions();
    assertThat(partitions(database)).as("yesterday, today, two to come, and later").isEqualTo(5);
  }

  @Test
  void tendDays_partitionsOfTheOperatorsOwn_areLeftAlone(QueueDatabase database) {
    database.execute(
        "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day) ("
            + "PARTITION old VALUES LESS THAN ('2020-01-01'),"
            + " PARTITION rest VALUES LESS THAN (MAXVALUE))");
    parts.get(Archive.class).partitionByDay();
    parts.get(Archive.class).maintainPartitions();
    assertThat(partitions(database)).isEqualTo(2);
  }

  @AfterEach
  void onePartitionForTheNext(QueueDatabase database) {
    if (partitions(database) > 0) {
      database.execute("ALTER TABLE queue_archive REMOVE PARTITIONING");
    }
  }

  private static long partitions(QueueDatabase database) {
    return database.count(
        "SELECT COUNT(*) FROM information_schema.partitions WHERE table_schema = DATABASE()"
            + " AND table_name = 'queue_archive' AND partition_name IS NOT NULL");
  }

  /** Four copies a day for eight days, of two topics. */
  private static void fillArchive(QueueDatabase database) {
    for (int day = 0; day < 8; day++) {
      for (int copy = 0; copy < 4; copy++) {
        for (String topic : List.of("order", "none")) {
          int id = day * 100 + copy * 10 + (topic.equals("order") ? 1 : 2);
          database.execute(COPY.formatted(id, day, topic));
        }
      }
    }
  }
}
