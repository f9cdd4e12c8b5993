package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Servers whose new sessions have limits, as {@code SET GLOBAL} makes them. */
@QueueTest
class SessionSettingsIT {

  /** The limit is a second. */
  private static final String ASLEEP_BEYOND_THE_LIMIT =
      "SELECT COUNT(*) FROM queue_worker JOIN information_schema.processlist p"
          + " ON p.id = listener_connection WHERE p.info LIKE 'SELECT /* rowqueue listener %'"
          + " AND p.time >= 2";

  private final MessageProducer producer = MessageProducer.create();

  private static String limited(QueueDatabase database) {
    return database.url()
        + "&sessionVariables=sql_select_limit=1,sql_safe_updates=1,completion_type=1,sql_auto_is_null=1"
        + (database.isMariaDb()
            ? ",max_statement_time=1,idle_transaction_timeout=1,tx_read_only=1"
            : ",max_execution_time=1000,transaction_read_only=1");
  }

  private static DataSource limitedRows(QueueDatabase database) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(database.url() + "&sessionVariables=sql_select_limit=1,sql_safe_updates=1");
    return dataSource;
  }

  @Test
  void worker_setsItsOwnSessions(QueueDatabase database) {
    Orders.openBooks(database);
    IntStream.range(0, 10).forEach(number -> Orders.enqueue(database, number));
    for (int number = 10; number < 20; number++) {
      producer.enqueue(
          database.dataSource(),
          NewMessage.of("order", new Handlers.Order(number)).withOrderingKey("k"));
    }
    Topics topics = QueueOperations.of(database.dataSource()).topics();
    topics.pause(new Topic("a"));
    topics.pause(new Topic("order"));
    String limit =
        database.isMariaDb()
            ? "SELECT @@max_statement_time + @@idle_transaction_timeout"
            : "SELECT @@max_execution_time";
    Queue<String> limits = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.startAt(
            limited(database),
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  limits.add(context.transaction().fetchValue(limit).toString());
                  Orders.write(order, context);
                }),
            Handlers.bind("a", (order, context) -> {}))) {
      producer.enqueue(database.dataSource(), NewMessage.of("a", new Handlers.Order(1)));
      topics.resume(new Topic("order"));
      Orders.awaitCount(database, "SELECT COUNT(*) FROM handled", 20);
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'a'")).isOne();
      Orders.awaitCount(database, ASLEEP_BEYOND_THE_LIMIT, 1);
    }
    assertThat(limits).allMatch(each -> Double.parseDouble(each) == 0);
  }

  /**
   * With this parameter, the driver does not set auto-commit. Other tests' drivers do, so that the
   * global value is nothing to them.
   */
  @Test
  void producerAndWorker_whereSessionsBeginWithoutAutoCommit_commit(QueueDatabase database) {
    Orders.openBooks(database);
    String url = database.url() + "&useLocalSessionState=true";
    try {
      database.execute("SET GLOBAL autocommit = 0");
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(url);
        for (int number = 0; number < 20; number++) {
          producer.enqueue(pool, NewMessage.of("order", new Handlers.Order(number)));
          assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(number + 1);
        }
        try (TestWorker worker =
            TestWorker.startAt(url, config -> config, Handlers.bind("order", Orders::write))) {
          Orders.awaitCount(database, Orders.HANDLED, 20);
          producer.enqueue(pool, NewMessage.of("order", new Handlers.Order(20)));
          Orders.awaitCount(database, Orders.HANDLED, 21);
        }
        try (TestWorker worker =
            TestWorker.startAt(
                url,
                config -> WorkerConfig.defaults(DatabaseConfig.of(pool)).withThreads(2),
                Handlers.bind("order", Orders::write))) {
          producer.enqueue(pool, NewMessage.of("order", new Handlers.Order(21)));
          Orders.awaitCount(database, Orders.HANDLED, 22);
        }
      }
    } finally {
      database.execute("SET GLOBAL autocommit = 1");
    }
  }

  /** The modes that change what literals and operators mean, of the server at hand. */
  private static String odd(QueueDatabase database) {
    return database.url()
        + "&sessionVariables=time_zone='-03:30',sql_mode='"
        + (database.isMariaDb()
            ? "ORACLE,EMPTY_STRING_IS_NULL,"
            : "ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,")
        + "NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,NO_AUTO_VALUE_ON_ZERO,"
        + "NO_UNSIGNED_SUBTRACTION'";
  }

  @Test
  void worker_inAnySqlModeAndTimeZone_retriesReleasesAndRunsSchedules(QueueDatabase database) {
    Orders.openBooks(database);
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, lock_id, claim_number) VALUES ('a',"
            + " '{\"number\":1}', 1, 'absent-1-x', 1)");
    MysqlDataSource odd = new MysqlDataSource();
    odd.setUrl(odd(database));
    Queue<Integer> retried = new ConcurrentLinkedQueue<>();
    AtomicInteger runs = new AtomicInteger();
    try (TestWorker worker =
        TestWorker.startAt(
            odd(database),
            config -> config,
            Handlers.bind(
                "a",
                (order, context) -> {
                  if (context.attempt() == 1) {
                    throw new RetryAfter(Duration.ZERO, "later");
                  }
                  retried.add(order.number());
                }),
            Handlers.bind("often", (order, context) -> runs.incrementAndGet()),
            binder ->
                ScheduleBinder.bind(
                    binder,
                    Schedule.every("often", Duration.ofSeconds(1))
                        .enqueues(NewMessage.of("often", new Handlers.Order(0)))))) {
      producer.enqueue(odd, NewMessage.of("a", new Handlers.Order(2)));
      Await.that(
          "each message is handled",
          Duration.ofSeconds(30),
          () -> retried.containsAll(List.of(1, 2)) && runs.get() > 0);
    }
  }

  @Test
  void producers_writeAllCopies_andFindAllKeys(QueueDatabase database) {
    Subscriptions subscriptions = QueueOperations.of(database.dataSource()).subscriptions();
    IntStream.range(0, 5).forEach(i -> subscriptions.subscribe("placed", "copy-" + i));
    DataSource limited = limitedRows(database);
    assertThat(producer.publish(limited, NewMessage.of("placed", "p")).copies()).hasSize(5);
    List<NewMessage> keyed =
        IntStream.range(0, 5)
            .mapToObj(
                i ->
                    NewMessage.of("keyed", "p")
                        .withDeduplication(Deduplication.whileAlive("k" + i)))
            .toList();
    assertThat(producer.enqueueAll(limited, keyed)).isEqualTo(producer.enqueueAll(limited, keyed));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'keyed'"))
        .isEqualTo(5);
  }

  @Test
  void operations_onALimitedDataSource_areRefusedByName(QueueDatabase database) {
    assertThatThrownBy(() -> Transactions.on(limitedRows(database)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sql_select_limit is set");
  }
}
