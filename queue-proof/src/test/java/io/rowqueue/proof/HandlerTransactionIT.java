package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
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

  private void assertLeavesTheTransaction(QueueDatabase database, String sql) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              context.transaction().execute(sql);
              Orders.write(order, context);
            })) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("left-transaction");
    }
    // What it committed itself stays; what it wrote afterwards does not.
    assertThat(database.count(Orders.HANDLED)).isEqualTo(1);
  }

  @Test
  void handler_thatSwallowsADeadlock_neverCommitsHalf(QueueDatabase database) {
    database.execute("CREATE TABLE IF NOT EXISTS pair (id INT PRIMARY KEY, n INT)");
    database.execute("DELETE FROM pair", "INSERT INTO pair VALUES (1, 0), (2, 0)");
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

  private static void update(HandlerContext context, int row) {
    context.transaction().execute("UPDATE pair SET n = n + 1 WHERE id = ?", row);
  }

  @Test
  void handler_thatSwallowsALockWaitTimeout_isRunAgain(QueueDatabase database) throws Exception {
    database.execute("CREATE TABLE IF NOT EXISTS pair (id INT PRIMARY KEY, n INT)");
    database.execute("DELETE FROM pair", "INSERT INTO pair VALUES (1, 0)");
    Orders.enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (var blocker = database.dataSource().getConnection()) {
      blocker.setAutoCommit(false);
      try (Statement statement = blocker.createStatement()) {
        statement.execute("UPDATE pair SET n = 10 WHERE id = 1");
      }
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
    assertThat(database.count("SELECT n FROM pair")).isEqualTo(11);
  }
}
