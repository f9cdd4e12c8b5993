package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.Results;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers without Guice, over data sources of the application. */
@QueueTest
class WorkerBuilderIT {

  private static final int MESSAGES = 100;

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @ParameterizedTest
  @EnumSource
  void handle_byALambda_writesOnceWithItsMessage(AppPool kind, QueueDatabase database) {
    try (HikariDataSource pool = kind.open(database, 8)) {
      Orders.enqueueAll(database, MESSAGES);
      Worker worker =
          Worker.builder(pool).handle("order", Order.class, Orders::write).threads(4).start();
      try (worker) {
        Orders.awaitCount(database, Orders.HANDLED, MESSAGES);
        Orders.enqueueAll(database, MESSAGES);
        Orders.awaitCount(database, Orders.HANDLED, 2 * MESSAGES);
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
    database.queue().assertThat().isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void handle_thatFails_rollsBackAndRetries(AppPool kind, QueueDatabase database) {
    Orders.enqueueAll(database, 10);
    try (HikariDataSource pool = kind.open(database, 8);
        Worker worker =
            Worker.builder(pool)
                .handle(
                    "order",
                    Order.class,
                    WorkerBuilderIT::failFirst,
                    settings -> settings.withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(10))))
                .threads(4)
                .start()) {
      Orders.awaitCount(database, Orders.HANDLED + " WHERE attempt = 2", 9);
      Orders.awaitCount(database, Orders.DEAD, 1);
    }
    assertThat(database.count(Orders.HANDLED)).isEqualTo(9);
  }

  private static void failFirst(Order order, HandlerContext context) throws SQLException {
    Orders.write(order, context);
    if (order.number() == 0) {
      throw new PermanentFailure("never");
    }
    if (context.attempt() == 1) {
      throw new IllegalStateException("not yet");
    }
  }

  @ParameterizedTest
  @EnumSource
  void handle_thatExceedsItsTimeout_isCutOffOnTheServer(AppPool kind, QueueDatabase database) {
    database.queue().enqueue("order", new Order(1));
    try (HikariDataSource pool = kind.open(database, 8);
        Worker worker =
            Worker.builder(pool)
                .handle(
                    "order",
                    Order.class,
                    (order, context) -> {
                      try (Statement statement = context.connection().createStatement()) {
                        statement.execute("DO SLEEP(600)");
                      }
                    },
                    settings -> settings.withTimeout(Duration.ofMillis(100)).withMaxAttempts(1))
                .threads(2)
                .start()) {
      Orders.awaitCount(database, Orders.DEAD, 1);
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE"
              + " 'DO SLEEP(600)%'",
          0);
      assertThat(worker.drain(Orders.SOON)).isTrue();
    }
  }

  /** The handler still has its timeout; only the wait for one answer is shorter. */
  @ParameterizedTest
  @ValueSource(longs = {30L * 86_400, Long.MAX_VALUE})
  void handle_withATimeoutThatIsLongerThanJdbcWaits_isDone(long seconds, QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8);
        Worker worker =
            Worker.builder(pool)
                .handle(
                    "order",
                    Order.class,
                    Orders::write,
                    settings -> settings.withTimeout(Duration.ofSeconds(seconds)))
                .threads(2)
                .start()) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
      assertThat(worker.drain(Orders.SOON)).isTrue();
    }
  }

  @Test
  void start_withAPoolThatIsTooSmall_saysWhatToSet(QueueDatabase database) {
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 10);
        Worker worker = Worker.builder(pool).handle("order", Order.class, Orders::write).build()) {
      assertThatThrownBy(worker::start)
          .isInstanceOf(QueueException.class)
          .hasMessage(
              "a worker with 16 threads needs 20 connections, in addition to the application's own,"
                  + " and the data source has 10: raise its maximum pool size, or lower the"
                  + " worker's threads to 6 or fewer");
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void start_withAPoolThatSufficesForNoThread_advisesNoFewerThreads(QueueDatabase database) {
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 4);
        Worker worker =
            Worker.builder(pool).handle("order", Order.class, Orders::write).threads(1).build()) {
      assertThatThrownBy(worker::start)
          .hasMessage(
              "a worker with 1 thread needs 5 connections, in addition to the application's own,"
                  + " and the data source has 4: raise its maximum pool size");
    }
  }

  /** A pool that does not tell its limit is asked for as many connections. */
  @Test
  void start_withAnUnknownPoolThatIsTooSmall_saysWhatToSet(QueueDatabase database) {
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 5)) {
      pool.setConnectionTimeout(250);
      DataSource unknown = new FreshConnections(pool::getConnection);
      Worker worker =
          Worker.builder(unknown).handle("order", Order.class, Orders::write).threads(2).build();
      assertThatThrownBy(worker::start)
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("needs 6 connections")
          .hasMessageContaining("has 5");
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  /** As a proxy does that announces a version of its own. */
  @Test
  void start_behindAGreetingOfMysql_asksTheServerWhatItIs(QueueDatabase database) {
    Orders.enqueueAll(database, MESSAGES);
    DataSource greeted = OddConnections.greeting(database, "8.0.36-proxy");
    try (Worker worker =
        Worker.builder(greeted).handle("order", Order.class, Orders::write).threads(2).start()) {
      Orders.awaitCount(database, Orders.HANDLED, MESSAGES);
    }
  }

  @Test
  void producer_behindAGreetingOfMysql_asksTheServerWhatItIs(QueueDatabase database)
      throws SQLException {
    DataSource greeted = OddConnections.greeting(database, "8.0.36-proxy");
    try (Connection connection = greeted.getConnection()) {
      assertThat(ServerDialect.of(connection) == ServerDialect.MARIADB)
          .isEqualTo(database.isMariaDb());
    }
    List<NewMessage> three = Collections.nCopies(3, NewMessage.of("order", new Order(1)));
    assertThat(MessageProducer.create().enqueueAll(greeted, three))
        .extracting(MessageId::toString)
        .containsExactlyElementsOf(database.strings("SELECT id FROM queue_message ORDER BY id"));
  }

  @Test
  void start_withADataSourceWithoutAPool_handles(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (Worker worker =
        Worker.builder(database.dataSource())
            .handle("order", Order.class, Orders::write)
            .threads(2)
            .start()) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
  }

  @Test
  void start_withADriverThatCountsChangedRows_namesTheParameter(QueueDatabase database) {
    for (String driver : List.of("mysql", "mariadb")) {
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(
            database.url().replace("jdbc:mysql:", "jdbc:" + driver + ":")
                + "&allowPublicKeyRetrieval=true&useAffectedRows=true");
        Worker worker =
            Worker.builder(pool).handle("order", Order.class, Orders::write).threads(4).build();
        assertThatThrownBy(worker::start)
            .isInstanceOf(QueueException.class)
            .hasMessageContaining("useAffectedRows=true")
            .hasMessageContaining("set it to false");
      }
    }
  }

  @Test
  void build_withAWrongTopic_names(QueueDatabase database) {
    WorkerBuilder builder =
        Worker.builder(database.dataSource()).handle("", Order.class, Orders::write);
    assertThatThrownBy(builder::build)
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("cannot bind a handler to topic ''");
  }

  @Test
  void builder_hasWhatModulesHave(QueueDatabase database) throws Exception {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    CountDownLatch scheduled = new CountDownLatch(1);
    CountDownLatch batched = new CountDownLatch(3);
    CountDownLatch intercepted = new CountDownLatch(1);
    ThreadGroup group = new ThreadGroup("handlers");
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 8);
        Worker worker =
            Worker.builder(pool)
                .handle("tick", Order.class, (order, context) -> scheduled.countDown())
                .handleBatch(
                    "copy", Order.class, batch -> batch.forEach(one -> batched.countDown()))
                .handleWithResult(
                    "double",
                    Order.class,
                    (order, context) -> new Order(2 * order.number()),
                    settings -> settings.withResults(Duration.ofHours(1)))
                .handle("unclaimed", Order.class, Orders::write)
                .topics("tick", "copy", "double")
                .schedule(
                    Schedule.every("ticks", Duration.ofSeconds(1))
                        .enqueues(NewMessage.of("tick", new Order(1))))
                .subscribe("source", "copy")
                .interceptor(
                    (context, next) -> {
                      assertThat(Thread.currentThread().getThreadGroup()).isSameAs(group);
                      intercepted.countDown();
                      next.proceed();
                    })
                .meters(meters)
                .handlerThreads(work -> new Thread(group, work))
                .threads(4)
                .start()) {
      for (int i = 0; i < 3; i++) {
        MessageProducer.create().publish(pool, NewMessage.of("source", new Order(i)));
      }
      assertThat(scheduled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(batched.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(intercepted.await(60, TimeUnit.SECONDS)).isTrue();
      try (Results results = Results.over(pool)) {
        assertThat(
                results.enqueueAndAwait(
                    MessageProducer.create(),
                    NewMessage.of("double", new Order(21)),
                    Order.class,
                    Duration.ofMinutes(1)))
            .isEqualTo(new Order(42));
      }
      Await.that(
          "the copies are counted",
          Orders.SOON,
          () ->
              meters
                      .get("rowqueue.settlements")
                      .tags("topic", "copy", "outcome", "acked")
                      .counter()
                      .count()
                  == 3);
      assertThat(meters.find("rowqueue.threads").gauge()).isNotNull();
    }
    assertThat(meters.find("rowqueue.threads").gauge()).isNull();
    assertThat(meters.isClosed()).isFalse();
  }

  @Test
  void meters_ofASecondWorkerInARegistry_areRefusedAndTheFirstWorkersStay(QueueDatabase database) {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    try (HikariDataSource pool = AppPool.MYSQL.open(database, 16)) {
      WorkerBuilder builder =
          Worker.builder(pool)
              .handle("order", Order.class, Orders::write)
              .meters(meters)
              .threads(2);
      try (Worker first = builder.start()) {
        try (Worker second = builder.build()) {
          assertThatThrownBy(second::start)
              .isInstanceOf(QueueException.class)
              .hasMessageContaining("give each worker a registry of its own");
        }
        assertThat(meters.get("rowqueue.threads").gauge().value()).isEqualTo(2);
        assertThat(first.drain(Orders.SOON)).isTrue();
      }
      try (Worker third = builder.start()) {
        assertThat(meters.get("rowqueue.threads").gauge().value()).isEqualTo(2);
        assertThat(third.drain(Orders.SOON)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void connections_afterAWorker_haveTheSettingsThatTheyHad(AppPool kind, QueueDatabase database)
      throws SQLException {
    try (HikariDataSource pool = kind.open(database, 8)) {
      List<List<String>> before = configured(pool, "SET SESSION wait_timeout = 1234");
      Orders.enqueueAll(database, MESSAGES);
      try (Worker worker =
          Worker.builder(pool).handle("order", Order.class, Orders::write).threads(4).start()) {
        Orders.awaitCount(database, Orders.HANDLED, MESSAGES);
        // Without a drain, a busy machine may need longer than a stop gives the last settlements.
        assertThat(worker.drain(Orders.SOON)).isTrue();
      }
      assertThat(configured(pool, "DO 0")).isEqualTo(before).hasSize(8);
    }
  }

  /** What each of the pool's connections has after {@code statement}. */
  private static List<List<String>> configured(HikariDataSource pool, String statement)
      throws SQLException {
    List<Connection> all = new ArrayList<>();
    List<List<String>> found = new ArrayList<>();
    try {
      for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
        Connection connection = pool.getConnection();
        all.add(connection);
        try (Statement sent = connection.createStatement()) {
          sent.execute(statement);
        }
        found.add(configured(connection));
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
      }
    } finally {
      for (Connection connection : all) {
        connection.close();
      }
    }
    return found;
  }

  private static List<String> configured(Connection connection) throws SQLException {
    List<String> values = new ArrayList<>();
    values.add("auto-commit " + connection.getAutoCommit());
    values.add("network timeout " + connection.getNetworkTimeout());
    values.add("isolation " + connection.getTransactionIsolation());
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@wait_timeout, @@autocommit, @@sql_safe_updates, @@sql_select_limit,"
                    + " @@completion_type, @@sql_big_selects, @@sql_auto_is_null /*!80000 ,"
                    + " @@max_execution_time, @@transaction_read_only */ /*M! ,"
                    + " @@max_statement_time, @@idle_transaction_timeout, @@tx_read_only */")) {
      row.next();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        values.add(row.getMetaData().getColumnLabel(i) + " " + row.getString(i));
      }
    }
    return values;
  }
}
