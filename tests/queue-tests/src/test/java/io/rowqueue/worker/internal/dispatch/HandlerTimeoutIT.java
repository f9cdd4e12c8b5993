package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class HandlerTimeoutIT {

  private static final HandlerSettings SHORT =
      HandlerSettings.defaults().withTimeout(Duration.ofMillis(300)).withMaxAttempts(1);

  private static final String RUNNING =
      "SELECT COUNT(*) FROM %s.processlist WHERE db = DATABASE() AND info LIKE 'SELECT"
          + " BENCHMARK%%'";

  /** Left alone, it would run for longer than any test, and look at no socket meanwhile. */
  private static final String ENDLESS = "SELECT BENCHMARK(1000000000000, SHA2('rowqueue', 256))";

  private static final HandlerSettings HALF_A_SECOND =
      HandlerSettings.defaults().withTimeout(Duration.ofMillis(500)).withMaxAttempts(1);

  private final QueueDatabase database;

  HandlerTimeoutIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  /** Handles one order, whose write is rolled back; returns the detail of its dead letter. */
  private String dies(HandlerSettings settings, MessageHandler<Order> behind) {
    Orders.enqueue(database, 1);
    MessageHandler<Order> handler =
        (order, context) -> {
          Orders.write(order, context);
          behind.handle(order, context);
        };
    Orders.assertDies(
        database, "attempts-exhausted", Orders.handledBy(database, handler, settings));
    assertThat(database.count(Orders.HANDLED)).isZero();
    return database.strings("SELECT detail FROM queue_dead_letter").get(0);
  }

  /** The wait for the repetition's connection is not the handler's time. */
  @Test
  void connectionOfARepetition_thatComesAfterTheTimeout_countsNoAttempt() {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch never = new CountDownLatch(1);
    UnaryOperator<DataSource> slow =
        pool ->
            new FreshConnections(
                () -> {
                  try {
                    assertThat(runs.get() == 1 && never.await(1, TimeUnit.SECONDS)).isFalse();
                  } catch (InterruptedException e) {
                    throw new SQLTransientConnectionException("interrupted", e);
                  }
                  return pool.getConnection();
                });
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.startOver(
            database,
            slow,
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (runs.incrementAndGet() == 1) {
                    Orders.swallowDeadlock(context);
                  }
                  Orders.write(order, context);
                },
                HALF_A_SECOND))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(runs).hasValue(2);
  }

  @Test
  void handler_thatHangs_isInterruptedAndRetried() {
    assertThat(dies(SHORT, (order, context) -> new CountDownLatch(1).await()))
        .contains("HandlerTimeoutException");
  }

  @Test
  void handler_thatHangsInTheDatabase_hasItsConnectionCut() {
    assertThat(dies(SHORT, (order, context) -> context.transaction().execute("DO SLEEP(30)")))
        .contains("HandlerTimeoutException");
  }

  @Test
  void handler_thatHeedsNothing_losesItsMessageAndItsThreadIsReplaced() {
    Orders.enqueue(database, 1);
    CountDownLatch end = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledByOne(
            database,
            (order, context) -> {
              Orders.write(order, context);
              if (order.number() == 1) {
                Orders.awaitDeaf(end);
              }
            },
            SHORT)) {
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
  void handler_whoseStatementDoesNotEnd_leavesNoLockInTheServer() throws SQLException {
    try (Connection bytes = database.connect();
        PreparedStatement sleep = bytes.prepareStatement("SELECT SLEEP(60), ?")) {
      sleep.setBytes(1, new byte[] {(byte) 0xff, (byte) 0xfe});
      CompletableFuture<Void> sleeping =
          CompletableFuture.runAsync(
              () -> assertThatThrownBy(sleep::execute).isInstanceOf(SQLException.class));
      leavesNoLock();
      assertThat(sleeping).isNotDone();
      bytes.abort(Runnable::run);
    }
  }

  private void leavesNoLock() {
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

  @Test
  void handler_thatExtendsItsTimeout_runsPastTheFirstOne() {
    Orders.enqueue(database, 1);
    Orders.drain(
        database,
        (order, context) -> {
          assertThat(context.extendTimeout(Duration.ofSeconds(20)))
              .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
          context.transaction().execute("DO SLEEP(2)");
          Orders.write(order, context);
        },
        HALF_A_SECOND.withLongestTimeout(Duration.ofMinutes(1)));
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** Nothing that it asks for shortens what it had. */
  @Test
  void handler_thatAsksForLess_keepsWhatItHas() {
    Orders.enqueue(database, 1);
    Orders.drain(
        database,
        (order, context) -> {
          context.extendTimeout(Duration.ofSeconds(10));
          assertThat(context.extendTimeout(Duration.ZERO)).isGreaterThan(Duration.ofSeconds(5));
          Orders.write(order, context);
        },
        HALF_A_SECOND.withLongestTimeout(Duration.ofMinutes(1)));
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  @Test
  void handler_thatExtendsForEver_endsAtTheLongestTimeout() {
    Queue<Duration> left = new ConcurrentLinkedQueue<>();
    String detail =
        dies(
            HALF_A_SECOND.withLongestTimeout(Duration.ofSeconds(1)),
            (order, context) -> {
              while (true) {
                left.add(context.extendTimeout(Duration.ofSeconds(20)));
                TimeUnit.MILLISECONDS.sleep(10);
              }
            });
    assertThat(left).hasSizeGreaterThan(5).allMatch(one -> one.toMillis() <= 1_000);
    assertThat(detail).contains("HandlerTimeoutException").contains("1 s");
  }

  /** One that extended once is watched like any other when that time is over. */
  @Test
  void handler_thatHangsBehindItsExtension_isCut() {
    String detail =
        dies(
            HALF_A_SECOND.withLongestTimeout(Duration.ofMinutes(1)),
            (order, context) -> {
              context.extendTimeout(Duration.ofMillis(800));
              context.transaction().execute("DO SLEEP(30)");
            });
    assertThat(detail).contains("HandlerTimeoutException");
  }

  @Test
  void handler_ofABindingWithoutTheSetting_isRefused() {
    assertThat(
            dies(HALF_A_SECOND, (order, context) -> context.extendTimeout(Duration.ofSeconds(1))))
        .contains("withLongestTimeout()");
  }

  @Test
  void handler_ofABatch_extendsItForAll() {
    Orders.enqueueAll(database, 5);
    Orders.drain(
        database,
        TestWorker.start(
            database,
            Handlers.bindBatch(
                "order",
                deliveries -> {
                  deliveries
                      .get(deliveries.size() - 1)
                      .context()
                      .extendTimeout(Duration.ofSeconds(20));
                  TimeUnit.MILLISECONDS.sleep(1_500);
                  deliveries.forEach(one -> Orders.write(one.payload(), one.context()));
                },
                HALF_A_SECOND.withLongestTimeout(Duration.ofMinutes(1)))));
    assertThat(database.count(Orders.HANDLED)).isEqualTo(5);
  }

  /** A drain's deadline is the operator's. */
  @Test
  void drain_endsAHandlerThatHasExtended() throws Exception {
    Orders.enqueue(database, 1);
    CountDownLatch extended = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              context.extendTimeout(Duration.ofMinutes(5));
              extended.countDown();
              new CountDownLatch(1).await();
            },
            HALF_A_SECOND.withLongestTimeout(Duration.ofMinutes(10)))) {
      assertThat(extended.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.worker().drain(Duration.ofMillis(200))).isFalse();
      Await.until(
          "given back, no attempt counted",
          Orders.SOON,
          () -> database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"),
          rows -> rows.equals(java.util.List.of("0 0")));
    }
  }
}
