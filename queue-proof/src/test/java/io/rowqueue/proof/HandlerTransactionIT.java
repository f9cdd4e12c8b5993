package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.proof.statement.Sent;
import io.rowqueue.proof.statement.Tap;
import io.rowqueue.proof.statement.TappedConnections;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers that end their transaction, or hide that the server did. */
@QueueTest
class HandlerTransactionIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void handler_thatEndsTheTransactionByJdbc_isRefusedAndRetried(QueueDatabase database) {
    Orders.enqueue(database, 1);
    ConcurrentLinkedQueue<String> refusals = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              refuse(refusals, () -> context.connection().commit());
              refuse(refusals, () -> context.connection().rollback());
              refuse(refusals, () -> context.connection().setAutoCommit(true));
              refuse(refusals, () -> context.connection().close());
              refuse(
                  refusals,
                  () -> {
                    try (Statement statement = context.connection().createStatement()) {
                      statement.getConnection().commit();
                    }
                  });
            })) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(refusals)
        .hasSize(5)
        .allMatch(message -> message.contains("is refused inside a handler"));
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  private interface JdbcCall {
    void run() throws SQLException;
  }

  private static void refuse(ConcurrentLinkedQueue<String> refusals, JdbcCall call) {
    try {
      call.run();
    } catch (SQLException e) {
      refusals.add(e.getMessage());
    }
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
            config -> config.withDrain(Duration.ofMillis(100)),
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
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  if (order.number() == 1) {
                    context.transaction().execute("SET autocommit = 1");
                  } else if (context.attempt() == 1) {
                    throw new IllegalStateException("once");
                  }
                }))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(Orders.deadLetters(database)).containsExactly("1 left-transaction 1");
    assertThat(database.strings("SELECT CONCAT(number, ' ', attempt) FROM handled ORDER BY number"))
        .containsExactly("1 1", "2 2");
  }

  /** As a driver does that hides what a conflict in a cluster did. */
  @Test
  void transaction_thatEndsWithoutAWord_isNotCommitted(QueueDatabase database) {
    AtomicBoolean takenBack = new AtomicBoolean();
    Tap conflict =
        new Tap() {
          @Override
          public void before(Sent sent, Connection real) throws SQLException {
            if (sent.begins("UPDATE pair") && takenBack.compareAndSet(false, true)) {
              try (Statement statement = real.createStatement()) {
                statement.execute("ROLLBACK");
              }
            }
          }
        };
    makePair(database);
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.startOver(
            database,
            pool -> TappedConnections.over(pool, conflict),
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  update(context, 1);
                }))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("left-transaction");
    }
    assertThat(database.count(Orders.HANDLED)).isZero();
    assertThat(database.count("SELECT n FROM pair WHERE id = 1")).as("half of it").isZero();
  }

  private static void assertLeaves(
      QueueDatabase database, HandlerSettings settings, MessageHandler<Order> behind) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  behind.handle(order, context);
                  Orders.write(order, context);
                },
                settings))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("left-transaction");
    }
    // What it committed itself stays; what it wrote afterwards does not.
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  private static void swallow(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      assertThat(e).hasStackTraceContaining("nothing more is sent");
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
    try (TestWorker worker =
        Orders.handledBy(
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
            })) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
  }

  /** Behind a deadlock it would be a new transaction, which the handler could commit. */
  @Test
  void handler_thatSwallowsALockWaitTimeout_canOnlyCleanUp(QueueDatabase database)
      throws Exception {
    Orders.enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (Connection blocker = holdingOne(database)) {
      try (TestWorker worker =
          Orders.handledBy(
              database,
              (order, context) -> {
                Orders.write(order, context);
                if (calls.incrementAndGet() == 1) {
                  context.transaction().execute("SET SESSION innodb_lock_wait_timeout = 1");
                  assertThatThrownBy(() -> update(context, 1))
                      .hasStackTraceContaining("Lock wait timeout");
                  blocker.rollback();
                  context.transaction().execute("DO RELEASE_LOCK('a lock of its own')");
                  assertThatThrownBy(() -> context.transaction().execute("COMMIT"))
                      .hasStackTraceContaining("is refused, since the server gave up");
                }
              })) {
        Orders.awaitNoneLeft(database);
      }
    }
    assertThat(calls).hasValue(2);
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  @Test
  void handler_thatSwallowsADeadlock_neverCommitsHalf(QueueDatabase database) {
    makePair(database);
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    CountDownLatch bothHoldOne = new CountDownLatch(2);
    AtomicInteger swallowed = new AtomicInteger();
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              update(context, order.number());
              bothHoldOne.countDown();
              bothHoldOne.await();
              try {
                update(context, 3 - order.number());
              } catch (org.jooq.exception.DataAccessException e) {
                swallowed.incrementAndGet();
              }
            })) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(swallowed).hasPositiveValue();
    assertThat(database.strings("SELECT number FROM handled ORDER BY number"))
        .containsExactly("1", "2");
    assertThat(database.count("SELECT SUM(n) FROM pair")).isEqualTo(4);
  }

  private static void makePair(QueueDatabase database) {
    database.execute("CREATE TABLE IF NOT EXISTS pair (id INT PRIMARY KEY, n INT)");
    database.execute("DELETE FROM pair", "INSERT INTO pair VALUES (1, 0), (2, 0)");
  }

  /** A transaction that has set the first of the pair to ten, and holds its row. */
  private static Connection holdingOne(QueueDatabase database) throws SQLException {
    makePair(database);
    Connection holder = database.connect();
    holder.setAutoCommit(false);
    try (Statement statement = holder.createStatement()) {
      statement.execute("UPDATE pair SET n = 10 WHERE id = 1");
    }
    return holder;
  }

  private static void update(HandlerContext context, int row) {
    context.transaction().execute("UPDATE pair SET n = n + 1 WHERE id = ?", row);
  }

  @Test
  void handler_thatSwallowsALockWaitTimeout_isRunAgain(QueueDatabase database) throws Exception {
    Orders.enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (Connection blocker = holdingOne(database)) {
      try (TestWorker worker =
          Orders.handledBy(
              database,
              (order, context) -> {
                calls.incrementAndGet();
                Orders.write(order, context);
                context.transaction().execute("SET SESSION innodb_lock_wait_timeout = 1");
                try {
                  update(context, 1);
                } catch (org.jooq.exception.DataAccessException e) {
                  blocker.commit();
                }
              })) {
        Orders.awaitNoneLeft(database);
      }
    }
    assertThat(calls).hasValue(2);
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
    assertThat(database.count("SELECT n FROM pair WHERE id = 1")).isEqualTo(11);
  }
}
