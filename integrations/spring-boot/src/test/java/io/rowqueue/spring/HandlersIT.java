package io.rowqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.NewMessage;
import io.rowqueue.spring.RowQueueAutoConfiguration.WorkerPool;
import io.rowqueue.spring.shop.Order;
import io.rowqueue.spring.shop.Order.Then;
import io.rowqueue.spring.shop.Orders;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.spring.shop.Writer.Way;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Handlers in the application's transactions. */
class HandlersIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String ITEMS = "SELECT name FROM item ORDER BY name";
  private static final String DEAD = "SELECT CONCAT(reason, attempts) FROM queue_dead_letter";

  private static QueueDatabase database;
  private static ConfigurableApplicationContext context;
  private static QueueTemplate queue;

  @BeforeAll
  static void start() {
    database = QueueDatabase.create();
    database.execute(Applications.ITEM);
    context =
        Applications.start(
            database,
            ShopApplication.class,
            10,
            "spring.profiles.active=handlers",
            "spring.threads.virtual.enabled=true");
    queue = context.getBean(QueueTemplate.class);
  }

  /** The worker stays, and so does its registration. */
  @BeforeEach
  void clean() {
    database.execute(
        "DELETE FROM item", "DELETE FROM queue_dead_letter", "DELETE FROM queue_result");
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
    database.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"SET_ROLLBACK_ONLY", "CATCH_A_SERVICE"})
  void transactionMarkedAsRollbackOnly_failsTheMessage(Then then) {
    queue.enqueue("order", new Order("a", Way.JPA, then));
    awaitEmpty();
    assertThat(database.strings(ITEMS)).isEmpty();
    assertThat(database.strings(DEAD)).containsExactly("attempts-exhausted2");
  }

  /** It accepts no isolation level for a transaction then. */
  @Test
  void hibernate_thatReleasesConnectionsAfterTransactions_isHandledWith() {
    try (QueueDatabase own = QueueDatabase.create()) {
      own.execute(Applications.ITEM);
      try (var other =
          Applications.start(
              own,
              ShopApplication.class,
              10,
              "spring.profiles.active=handlers",
              "spring.jpa.properties.hibernate.connection.handling_mode=DELAYED_ACQUISITION_AND_RELEASE_AFTER_TRANSACTION")) {
        QueueTemplate orders = other.getBean(QueueTemplate.class);
        orders.enqueue("order", new Order("a", Way.JPA, Then.RETURN));
        orders.enqueue("order", new Order("b", Way.JDBC, Then.THROW));
        Await.that(
            "both have ended", SOON, () -> own.count("SELECT COUNT(*) FROM queue_message") == 0);
        assertThat(own.strings(ITEMS)).containsExactly("a");
        assertThat(own.strings(DEAD)).containsExactly("attempts-exhausted2");
      }
    }
  }

  @Test
  void writeInANewTransaction_staysAfterAnException() {
    queue.enqueue("order", new Order("a", Way.JPA, Then.WRITE_APART_AND_THROW));
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("a-apart-1", "a-apart-2");
  }

  /** JPA sends the INSERT in the commit. */
  @Test
  void entity_thatTheServerRefuses_failsTheMessage() {
    queue.enqueue("order", new Order("a".repeat(101), Way.JPA, Then.RETURN));
    awaitEmpty();
    assertThat(database.strings(DEAD)).containsExactly("attempts-exhausted2");
  }

  @Test
  void callbackAfterTheCommit_thatFails_doesNotRepeatTheMessage() {
    queue.enqueue("order", new Order("a", Way.JPA, Then.FAIL_AFTER_COMMIT));
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("a");
    assertThat(database.strings(DEAD)).isEmpty();
  }

  @Test
  void enqueue_inAHandler_joinsItsTransaction() {
    queue.enqueue("order", new Order("a", Way.JOOQ, Then.ENQUEUE));
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("a", "mail-a-1");
  }

  /** The entity's listener has added the plus sign. */
  @Test
  void lazyLoadingEntityListenersAndEvents_inAHandler_workAsInAService() {
    queue.enqueue("order", new Order("a", Way.JPA, Then.RETURN));
    awaitEmpty();
    queue.enqueue("lazy", "a");
    Await.until(
        "what the listener enqueued after the commit is handled",
        SOON,
        () -> database.strings(ITEMS),
        items -> items.contains("after"));
    assertThat(database.strings(ITEMS)).containsExactly("a", "after", "read-jpa+");
  }

  /** Locks of another transaction, which the handler's statements meet past RowQueue. */
  @ParameterizedTest
  @CsvSource({"sql, false", "sql-batch, false", "sql, true"})
  void statement_thatADeadlockOrAKillEnds_countsNoAttempt(String topic, boolean killed)
      throws SQLException {
    database.execute("INSERT INTO item VALUES ('a', ''), ('b1', ''), ('b2', ''), ('b3', '')");
    String second = "UPDATE item SET writer = 'handler' WHERE name = 'b1'";
    try (Connection other = database.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      other.setAutoCommit(false);
      // More changes than the handler's, so that a deadlock ends the handler's transaction.
      statement.execute("UPDATE item SET writer = 'other' WHERE name LIKE 'b%'");
      statement.execute("INSERT INTO item VALUES ('c1', ''), ('c2', ''), ('c3', '')");
      queue.enqueue(topic, List.of("UPDATE item SET writer = 'handler' WHERE name = 'a'", second));
      Await.that(
          "the handler has changed its first row",
          SOON,
          () ->
              database
                  .strings("SELECT name FROM item WHERE name = 'a' FOR UPDATE SKIP LOCKED")
                  .isEmpty());
      if (killed) {
        kill(second);
      } else {
        statement.execute("UPDATE item SET writer = 'other' WHERE name = 'a'");
      }
      other.commit();
    }
    awaitEmpty();
    assertThat(database.strings(ITEMS)).contains("attempt-1").doesNotContain("attempt-2");
    assertThat(database.strings("SELECT DISTINCT writer FROM item WHERE name IN ('a', 'b1')"))
        .containsExactly("handler");
    assertThat(database.strings(DEAD)).isEmpty();
  }

  /** Kills the session that waits in {@code statement}. */
  private static void kill(String statement) {
    List<String> ids =
        Await.until(
            "the handler waits",
            SOON,
            () ->
                database.strings(
                    "SELECT id FROM information_schema.processlist WHERE db = '%s' AND info = \"%s\""
                        .formatted(database.name(), statement)),
            found -> !found.isEmpty());
    database.execute("KILL " + ids.get(0));
  }

  /** JPA sends its statement in the commit. */
  @ParameterizedTest
  @EnumSource(names = {"JDBC", "JPA"})
  void statement_thatTheServerLacksSpaceFor_countsNoAttempt(Way way) {
    database.execute(
        "CREATE TRIGGER item_full BEFORE INSERT ON item FOR EACH ROW SIGNAL SQLSTATE 'HY000'"
            + " SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'The table is full'");
    try {
      queue.enqueue("order", new Order("a", way, Then.RETURN));
      Await.that(
          "it has run more often than its attempts allow",
          SOON,
          () ->
              database.count(
                      "SELECT COUNT(*) FROM queue_message WHERE claim_number > 2 AND attempts = 0")
                  == 1);
    } finally {
      database.execute("DROP TRIGGER item_full");
    }
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("a");
  }

  /** The message's own transaction is still there. */
  @Test
  void deadlock_onAnotherConnection_isAnAttemptAndRunsOnce() {
    queue.enqueue(
        "sql-apart",
        List.of(
            "INSERT INTO item VALUES (UUID(), 'apart')",
            "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213"));
    awaitEmpty();
    assertThat(database.count("SELECT COUNT(*) FROM item")).as("runs").isEqualTo(2);
    assertThat(database.strings(DEAD)).containsExactly("attempts-exhausted2");
  }

  @Test
  void quickStart_writesOrderAndInvoice() {
    context.getBean(Orders.class).place("a");
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("a", "invoice-a");
  }

  @Test
  void handler_whereTheApplicationWantsVirtualThreads_runsOnOneIfJavaHasThem() {
    queue.enqueue("thread", "a");
    awaitEmpty();
    assertThat(database.strings(ITEMS))
        .containsExactly(Runtime.version().feature() >= 21 ? "VirtualThread" : "Thread");
  }

  @Test
  void handlers_ofEachForm_run() {
    queue.enqueueAll(
        List.of(
            NewMessage.of("sum", List.of(1, 2, 3)),
            NewMessage.of("bulk", "b"),
            NewMessage.of("outside", "c"),
            NewMessage.of("parcel", "{\"title\":\"e\"}".getBytes(UTF_8)),
            NewMessage.of("lambda", new Order("d", Way.JPA, Then.RETURN))));
    awaitEmpty();
    assertThat(database.strings(ITEMS)).containsExactly("b", "c", "d", "e");
    assertThat(database.strings("SELECT CONVERT(content USING utf8mb4) FROM queue_result"))
        .containsExactly("6");
    assertThat(database.strings(DEAD)).isEmpty();
  }

  /** Four threads share three connections, of which the worker itself has none. */
  @Test
  void workerWithADedicatedPool_leavesThatOfTheApplicationToHandlers() {
    String handlers = "spring.profiles.active=handlers";
    try (QueueDatabase other = QueueDatabase.create()) {
      other.execute(Applications.ITEM);
      assertThatThrownBy(
              () -> Applications.start(other, ShopApplication.class, 3, handlers).close())
          .hasStackTraceContaining("needs 8 connections");
      HikariDataSource dedicated;
      try (var small =
          Applications.start(
              other, ShopApplication.class, 3, handlers, "rowqueue.worker.dedicated-pool=true")) {
        dedicated = small.getBean(WorkerPool.class).pool();
        IntStream.range(0, 20).forEach(i -> small.getBean(Orders.class).place("a" + i));
        awaitEmpty(other);
        assertThat(other.count("SELECT COUNT(*) FROM item")).isEqualTo(40);
        Await.that("all connections are free", SOON, () -> Applications.borrowed(small) == 0);
        assertThat(dedicated.getHikariPoolMXBean().getActiveConnections()).isPositive();
      }
      assertThat(dedicated.isClosed()).isTrue();
    }
  }

  @Test
  void dedicatedPool_followsThePasswordOfTheApplications() {
    try (QueueDatabase other = QueueDatabase.create()) {
      other.execute(Applications.ITEM);
      String user = "p_" + other.name().substring(Math.max(0, other.name().length() - 20));
      String account = "'%s'@'%%'".formatted(user);
      other.execute(
          "CREATE USER %s IDENTIFIED BY 'one'".formatted(account),
          "GRANT ALL ON `%s`.* TO %s".formatted(other.name(), account));
      try (var rotating =
          Applications.start(
              other,
              ShopApplication.class,
              4,
              "spring.profiles.active=handlers",
              "rowqueue.worker.dedicated-pool=true",
              "spring.datasource.hikari.jdbc-url=" + Applications.urlWithoutAccount(other),
              "spring.datasource.hikari.username=" + user,
              "spring.datasource.hikari.password=one")) {
        HikariDataSource application = rotating.getBean(HikariDataSource.class);
        HikariDataSource dedicated = rotating.getBean(WorkerPool.class).pool();
        other.execute("ALTER USER %s IDENTIFIED BY 'two'".formatted(account));
        application.getHikariConfigMXBean().setPassword("two");
        Stream.of(application, dedicated)
            .forEach(pool -> pool.getHikariPoolMXBean().softEvictConnections());
        rotating.getBean(Orders.class).place("a");
        awaitEmpty(other);
        assertThat(other.strings(ITEMS)).containsExactly("a", "invoice-a");
      } finally {
        other.execute("DROP USER " + account);
      }
    }
  }

  private static void awaitEmpty() {
    awaitEmpty(database);
  }

  private static void awaitEmpty(QueueDatabase queried) {
    Await.that(
        "no message is left", SOON, () -> queried.count("SELECT COUNT(*) FROM queue_message") == 0);
  }
}
