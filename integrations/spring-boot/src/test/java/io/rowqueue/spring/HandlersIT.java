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
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
