package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    Orders.drain(
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
        });
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
    Orders.assertDies(
        database,
        "left-transaction",
        TestWorker.startOver(
            database,
            pool -> TappedConnections.over(pool, conflict),
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  update(context, 1);
                })));
    assertThat(database.count(Orders.HANDLED)).isZero();
    assertThat(database.count("SELECT n FROM pair WHERE id = 1")).as("half of it").isZero();
  }

  /** Behind a deadlock it would be a new transaction, which the handler could commit. */
  @Test
  void handler_thatSwallowsALockWaitTimeout_canOnlyCleanUp(QueueDatabase database)
      throws Exception {
    Orders.enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (Connection blocker = holdingOne(database)) {
      Orders.drain(
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
                  .hasStackTraceContaining("is refused, since the server has rolled back");
            }
          });
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
    Orders.drain(
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
        });
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
  static Connection holdingOne(QueueDatabase database) throws SQLException {
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
}
