package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class LeavingHandlerIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void handler_thatCommitsBySqlText_isReportedAndNotRepeated(QueueDatabase database) {
    assertLeavesTheTransaction(database, "COMMIT");
  }

  @Test
  void handler_thatRunsDdl_isReportedAndNotRepeated(QueueDatabase database) {
    assertLeavesTheTransaction(database, "CREATE TABLE IF NOT EXISTS by_ddl (id INT)");
  }

  @Test
  void handler_thatCallsAProcedureThatCommits_isReportedAndNotRepeated(QueueDatabase database) {
    database.execute(
        "DROP PROCEDURE IF EXISTS saves", "CREATE PROCEDURE saves() BEGIN COMMIT; END");
    assertLeavesTheTransaction(database, "CALL saves()");
  }

  /** The first thing that it does is to commit, and only then it waits for the table. */
  @Test
  void handler_whoseDdlFails_isReportedAndNotRepeated(QueueDatabase database) throws Exception {
    database.execute("CREATE TABLE IF NOT EXISTS busy (id INT PRIMARY KEY)");
    try (var reader = database.dataSource().getConnection()) {
      reader.setAutoCommit(false);
      try (Statement statement = reader.createStatement()) {
        statement.executeQuery("SELECT * FROM busy");
        assertLeavesTheTransaction(
            database, "SET SESSION lock_wait_timeout = 1", "ALTER TABLE busy ADD COLUMN n INT");
      }
      reader.rollback();
    }
  }

  /** A lock wait timeout undoes one statement, and the COMMIT before it stays. */
  @Test
  void handler_thatCallsAProcedureThatCommitsAndWaitsInVain_isReportedAndNotRepeated(
      QueueDatabase database) throws Exception {
    try (Connection holder = HandlerTransactionIT.holdingOne(database)) {
      database.execute(
          "DROP PROCEDURE IF EXISTS waits",
          "CREATE PROCEDURE waits() BEGIN COMMIT; UPDATE pair SET n = 1 WHERE id = 1; END");
      assertLeavesTheTransaction(
          database, "SET SESSION innodb_lock_wait_timeout = 1", "CALL waits()");
      holder.rollback();
    }
  }

  /** While its rows come one by one nothing else can be asked over the connection. */
  @Test
  void handler_thatStreamsFromAProcedureThatCommits_isReportedAndNotRepeated(
      QueueDatabase database) {
    database.execute(
        "DROP PROCEDURE IF EXISTS streams",
        "CREATE PROCEDURE streams() BEGIN COMMIT; SELECT 1 UNION ALL SELECT 2; END");
    assertLeaves(
        database,
        HandlerSettings.defaults(),
        (order, context) -> {
          try (Statement statement = context.connection().createStatement()) {
            statement.setFetchSize(Integer.MIN_VALUE);
            try (ResultSet rows = statement.executeQuery("CALL streams()")) {
              assertThat(rows.next()).isTrue();
            }
          }
        });
  }

  private void assertLeavesTheTransaction(QueueDatabase database, String... statements) {
    assertLeaves(
        database,
        HandlerSettings.defaults(),
        (order, context) -> {
          for (String sql : statements) {
            context.transaction().execute(sql);
          }
        });
  }

  @Test
  void handler_thatCommitsAndFails_isNotRepeated(QueueDatabase database) {
    assertLeaves(
        database,
        HandlerSettings.defaults(),
        (order, context) -> {
          swallow(() -> context.transaction().execute("COMMIT"));
          throw new IllegalStateException("after its COMMIT");
        });
  }

  @Test
  void handler_thatCommitsAndGoesOn_sendsNothingMore(QueueDatabase database) {
    assertLeaves(
        database,
        HandlerSettings.defaults(),
        (order, context) -> {
          swallow(() -> context.transaction().execute("COMMIT"));
          swallow(() -> Orders.write(order, context));
          swallow(() -> context.transaction().execute("COMMIT"));
        });
  }

  @Test
  void handler_thatCommitsAndTakesTooLong_isNotRepeated(QueueDatabase database) {
    assertLeaves(
        database,
        HandlerSettings.defaults().withTimeout(Duration.ofSeconds(1)),
        (order, context) -> {
          swallow(() -> context.transaction().execute("COMMIT"));
          new CountDownLatch(1).await();
        });
  }

  @Test
  void handler_thatCommitsWhileItsWorkerStops_isNotRepeated(QueueDatabase database)
      throws Exception {
    Orders.enqueue(database, 1);
    CountDownLatch committed = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withShutdownTimeout(Duration.ofMillis(100)),
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  swallow(() -> context.transaction().execute("COMMIT"));
                  committed.countDown();
                  new CountDownLatch(1).await();
                }))) {
      assertThat(committed.await(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(Orders.awaitDeadLetter(database)).isEqualTo("left-transaction");
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  /** Its connection would commit each statement of the next message by itself. */
  @Test
  void handler_thatSwitchesAutoCommitOn_costsItsNeighboursNothing(QueueDatabase database) {
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() == 1) {
            context.transaction().execute("SET autocommit = 1");
          } else if (context.attempt() == 1) {
            throw new IllegalStateException("once");
          }
        },
        HandlerSettings.defaults());
    assertThat(Orders.deadLetters(database)).containsExactly("1 left-transaction 1");
    assertThat(database.strings("SELECT CONCAT(number, ' ', attempt) FROM handled ORDER BY number"))
        .containsExactly("1 1", "2 2");
  }

  private static void assertLeaves(
      QueueDatabase database, HandlerSettings settings, MessageHandler<Order> behind) {
    Orders.enqueue(database, 1);
    Orders.assertDies(
        database,
        "left-transaction",
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              behind.handle(order, context);
              Orders.write(order, context);
            },
            settings));
    // What it committed itself stays; what it wrote afterwards does not.
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  private static void swallow(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      assertThat(e).hasStackTraceContaining("no more statements are sent");
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  /** Everything here might end a transaction by its looks, and does not. */
  @Test
  void handler_thatStaysInItsTransaction_isAckedWhateverItSends(QueueDatabase database) {
    database.execute(
        "DROP PROCEDURE IF EXISTS looks",
        "CREATE PROCEDURE looks() BEGIN SELECT 1; SELECT COUNT(*) FROM handled; END");
    Orders.enqueue(database, 1);
    Orders.drain(
        database,
        (order, context) -> {
          try (Statement statement = context.connection().createStatement()) {
            statement.execute("SAVEPOINT mine");
            Orders.write(order, context);
            statement.execute("ROLLBACK TO SAVEPOINT mine;");
            statement.execute("ROLLBACK WORK TO mine");
            statement.execute("RELEASE SAVEPOINT mine");
            statement.execute("SET NAMES utf8mb4");
            statement.execute("CREATE TEMPORARY TABLE scratch (id INT)");
            statement.execute("DROP TEMPORARY TABLE scratch");
            statement.execute("/*! SET @number = 2 */");
            statement.addBatch("SET @number = 3");
            statement.addBatch("CALL looks()");
            statement.executeBatch();
          }
          context.transaction().transaction(nested -> nested.dsl().execute("SET @number = 4"));
          try (CallableStatement call = context.connection().prepareCall("{call looks()}")) {
            assertThat(call.execute()).isTrue();
            assertThat(call.getMoreResults()).isTrue();
          }
          Orders.write(order, context);
        });
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
  }
}
