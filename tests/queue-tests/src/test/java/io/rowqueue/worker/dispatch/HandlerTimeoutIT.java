package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers that take longer than they may. */
@QueueTest
class HandlerTimeoutIT {

  private static final HandlerSettings SHORT =
      HandlerSettings.defaults().withTimeout(Duration.ofMillis(300)).withMaxAttempts(1);

  private static final String RUNNING =
      "SELECT COUNT(*) FROM %s.processlist WHERE db = DATABASE() AND info LIKE 'SELECT"
          + " BENCHMARK%%'";

  /** Left alone, it would run for longer than any test, and look at no socket meanwhile. */
  private static final String ENDLESS = "SELECT BENCHMARK(1000000000000, SHA2('rowqueue', 256))";

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void handler_thatHangs_isInterruptedAndRetried(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              new CountDownLatch(1).await();
            },
            SHORT)) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("HandlerTimeoutException");
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void handler_thatHangsInTheDatabase_hasItsConnectionCut(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              context.transaction().execute("DO SLEEP(30)");
            },
            SHORT)) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void handler_thatHeedsNothing_losesItsMessageAndItsThreadIsReplaced(QueueDatabase database) {
    Orders.enqueue(database, 1);
    CountDownLatch end = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  if (order.number() == 1) {
                    Orders.awaitDeaf(end);
                  }
                },
                SHORT))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
      Orders.enqueue(database, 2);
      Orders.awaitNoneLeft(database);
      end.countDown();
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("2");
  }

  /**
   * While somebody runs a statement with bytes in its text, which some lists of MySQL cannot show.
   */
  @Test
  void handler_whoseStatementDoesNotEnd_leavesNoLockInTheServer(QueueDatabase database)
      throws SQLException {
    try (Connection bytes = database.connect();
        PreparedStatement sleep = bytes.prepareStatement("SELECT SLEEP(60), ?")) {
      sleep.setBytes(1, new byte[] {(byte) 0xff, (byte) 0xfe});
      CompletableFuture<Void> sleeping =
          CompletableFuture.runAsync(
              () -> assertThatThrownBy(sleep::execute).isInstanceOf(SQLException.class));
      leavesNoLock(database);
      assertThat(sleeping).isNotDone();
      bytes.abort(Runnable::run);
    }
  }

  private static void leavesNoLock(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, amount INT)",
        "REPLACE INTO account VALUES (1, 0)");
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              context.transaction().execute("UPDATE account SET amount = 1 WHERE id = 1");
              context.transaction().execute(ENDLESS);
            },
            SHORT)) {
      String running =
          RUNNING.formatted(database.isMariaDb() ? "information_schema" : "performance_schema");
      Orders.awaitCount(database, running, 1);
      Orders.awaitCount(database, running, 0);
      database.execute(
          "SET SESSION innodb_lock_wait_timeout = 1", "UPDATE account SET amount = amount + 5");
      Orders.awaitCount(database, Orders.DEAD, 1);
    }
    assertThat(database.strings("SELECT amount FROM account")).containsExactly("5");
  }
}
