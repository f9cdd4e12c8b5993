package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers whose transactions a framework manages, and whose statements bypass the context. */
@QueueTest
class HandlerConnectionsIT {

  private static final int MESSAGES = 200;

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @ParameterizedTest
  @EnumSource
  void handler_thatWritesInTheFramework_writesOnce(AppPool kind, QueueDatabase database) {
    Orders.enqueueAll(database, MESSAGES);
    try (HikariDataSource pool = kind.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      try (Worker worker =
          worker(pool, framework, (order, context) -> write(framework, order.number()))) {
        Orders.awaitCount(database, Orders.HANDLED, MESSAGES);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
    database.queue().assertThat().isEmpty();
  }

  /** What the framework wrote for the others of a shared commit would be lost or doubled. */
  @Test
  void handler_thatFailsAmongMany_undoesOnlyItsOwn(QueueDatabase database) {
    Orders.enqueueAll(database, MESSAGES);
    run(
        database,
        (framework, order) -> {
          write(framework, order.number());
          if (order.number() % 10 == 0) {
            throw new IllegalStateException("never");
          }
        });
    assertThat(database.count("SELECT COUNT(DISTINCT number) FROM handled"))
        .isEqualTo(database.count(Orders.HANDLED))
        .isEqualTo(MESSAGES - MESSAGES / 10);
    assertThat(database.count(Orders.DEAD)).isEqualTo(MESSAGES / 10);
  }

  @Test
  void handler_thatMarksTheTransaction_fails(QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    run(
        database,
        (framework, order) -> {
          write(framework, order.number());
          framework.setRollbackOnly();
        });
    assertThat(database.count(Orders.HANDLED)).isZero();
    assertThat(database.strings("SELECT CONCAT(reason, attempts) FROM queue_dead_letter"))
        .containsExactly("attempts-exhausted2");
  }

  @Test
  void statementAtCommit_thatFails_failsTheMessage(QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    run(
        database,
        (framework, order) -> {
          write(framework, order.number());
          framework.atCommit("INSERT INTO handled VALUES (NULL, 1)");
        });
    assertThat(database.count(Orders.HANDLED)).isZero();
    assertThat(database.strings("SELECT CONCAT(reason, attempts) FROM queue_dead_letter"))
        .containsExactly("attempts-exhausted2");
  }

  @Test
  void statementAtCommit_thatMeetsADeadlock_isRepeatedWithoutAnAttempt(QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    boolean[] met = {false};
    run(
        database,
        (framework, order) -> {
          write(framework, order.number());
          if (!met[0]) {
            met[0] = true;
            framework.atCommit("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213");
          }
        });
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("1");
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void handler_thatEndsTheTransactionUnseen_isDeadLettered(AppPool kind, QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    try (HikariDataSource pool = kind.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      try (Worker worker =
          worker(
              pool,
              framework,
              (order, context) -> {
                write(framework, order.number());
                framework.execute("CREATE TABLE IF NOT EXISTS ended (number INT)");
              })) {
        Orders.awaitCount(database, Orders.DEAD, 1);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
    }
    assertThat(database.strings("SELECT reason FROM queue_dead_letter"))
        .containsExactly("left-transaction");
  }

  @Test
  void enqueuing_inTheFrameworksTransaction_wakesAfterItsEnd(QueueDatabase database) {
    database.queue().enqueue("first", new Order(1));
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      MessageProducer producer = MessageProducer.create();
      try (Worker worker =
          Worker.builder(pool)
              .handle(
                  "first",
                  Order.class,
                  (order, context) ->
                      producer.enqueue(context.connection(), NewMessage.of("order", order)))
              .handle("order", Order.class, (order, context) -> write(framework, order.number()))
              .handlerConnections(framework.dataSource())
              .configure(config -> config.withPollInterval(Duration.ofMinutes(5)))
              .threads(4)
              .start()) {
        Orders.awaitCount(database, Orders.HANDLED, 1);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
    }
    database.queue().assertThat().isEmpty();
  }

  /** Its connection is the application's again with the commit, and cannot be closed. */
  @ParameterizedTest
  @ValueSource(strings = {"SET @v = 1", "SELECT GET_LOCK('mine', 0)", "SET NAMES utf8mb4"})
  void statement_thatChangesTheSession_isRefused(String statement, QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      try (Worker worker =
          worker(pool, framework, (order, context) -> context.transaction().execute(statement))) {
        Orders.awaitCount(database, Orders.DEAD, 1);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
    }
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("is refused inside a handler whose transaction a framework manages");
  }

  /** The wait for a connection is not the handler's time. */
  @Test
  void connection_thatComesAfterTheTimeout_countsNoAttempt(QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      CountDownLatch never = new CountDownLatch(1);
      DataSource slow =
          new FreshConnections(
              () -> {
                try {
                  assertThat(never.await(1_500, TimeUnit.MILLISECONDS)).isFalse();
                } catch (InterruptedException e) {
                  throw new SQLTransientConnectionException("interrupted", e);
                }
                return framework.dataSource().getConnection();
              });
      try (Worker worker =
          Worker.builder(pool)
              .handle(
                  "order",
                  Order.class,
                  (order, context) -> write(framework, order.number()),
                  settings -> settings.withTimeout(Duration.ofSeconds(1)).withMaxAttempts(1))
              .handlerConnections(slow)
              .threads(4)
              .start()) {
        Orders.awaitNoneLeft(database);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
    }
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** Only its thread can end the framework's transaction, so {@code close} fails on any other. */
  @Test
  void handler_thatHeedsNothing_losesItsMessageAndItsThreadIsReplaced(QueueDatabase database) {
    Orders.enqueueAll(database, 2);
    CountDownLatch end = new CountDownLatch(1);
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      try (Worker worker =
          Worker.builder(pool)
              .handle(
                  "order",
                  Order.class,
                  (order, context) -> {
                    write(framework, order.number());
                    if (order.number() == 0) {
                      Orders.awaitDeaf(end);
                    }
                  },
                  settings -> settings.withTimeout(Duration.ofMillis(200)).withMaxAttempts(1))
              .handlerConnections(framework.dataSource())
              .threads(1)
              .start()) {
        assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
        Orders.awaitNoneLeft(database);
        end.countDown();
        assertThat(worker.drain(Orders.SOON)).isTrue();
      } finally {
        end.countDown();
      }
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("1");
  }

  @Test
  void sharedCommit_isRefused(QueueDatabase database) {
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8);
        Worker worker =
            Worker.builder(pool)
                .handle("order", Order.class, Orders::write, HandlerSettings::withSharedCommit)
                .handlerConnections(new ThreadTransactions(pool).dataSource())
                .threads(4)
                .build()) {
      assertThatThrownBy(worker::start)
          .isInstanceOf(HandlerConfigurationException.class)
          .hasMessageContaining("remove withSharedCommit()");
    }
  }

  private static void write(ThreadTransactions framework, int number) {
    framework.execute("INSERT INTO handled VALUES (%d, 1)".formatted(number));
  }

  @FunctionalInterface
  private interface Handling {
    void handle(ThreadTransactions framework, Order order);
  }

  /** Until the queue is empty. */
  private static void run(QueueDatabase database, Handling handling) {
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8)) {
      ThreadTransactions framework = new ThreadTransactions(pool);
      try (Worker worker =
          worker(pool, framework, (order, context) -> handling.handle(framework, order))) {
        Orders.awaitNoneLeft(database);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  private static Worker worker(
      HikariDataSource pool, ThreadTransactions framework, MessageHandler<Order> handler) {
    return Worker.builder(pool)
        .handle(
            "order",
            Order.class,
            handler,
            settings ->
                settings
                    .withMaxAttempts(2)
                    .withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(10))))
        .handlerConnections(framework.dataSource())
        .threads(4)
        .start();
  }
}
