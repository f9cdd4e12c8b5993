package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.deadletter.FailedAttempt;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerConfigurationException;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.handle.ReleaseMessage;
import io.rowqueue.handle.RetryAfter;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.schema.SchemaException;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class WorkerIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String HANDLED = "SELECT COUNT(*) FROM handled";
  private static final String LEFT = "SELECT COUNT(*) FROM queue_message";
  private static final String DEAD = "SELECT COUNT(*) FROM queue_dead_letter";

  private final MessageProducer producer = MessageProducer.create();

  @BeforeEach
  void businessTable(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS handled (number INT NOT NULL, attempt INT NOT NULL)",
        "DELETE FROM handled");
  }

  private static void write(Order order, HandlerContext context) {
    context
        .transaction()
        .execute("INSERT INTO handled VALUES (?, ?)", order.number(), context.attempt());
  }

  private MessageId enqueue(QueueDatabase database, int number) {
    return producer.enqueue(database.dataSource(), NewMessage.of("order", new Order(number)));
  }

  private static void awaitCount(QueueDatabase database, String query, long expected) {
    Await.until(
        query + " should give " + expected,
        SOON,
        () -> database.count(query),
        count -> count == expected);
  }

  private static String reason(QueueDatabase database) {
    awaitCount(database, DEAD, 1);
    return database.strings("SELECT reason FROM queue_dead_letter").get(0);
  }

  @Test
  void handler_thatReturns_effectAndDeletionCommitTogether(QueueDatabase database) {
    List<NewMessage> messages =
        IntStream.range(0, 500).mapToObj(i -> NewMessage.of("order", new Order(i))).toList();
    producer.enqueueAll(database.dataSource(), messages);
    try (TestWorker worker = TestWorker.start(database, Handlers.bind("order", WorkerIT::write))) {
      awaitCount(database, LEFT, 0);
      assertThat(database.count("SELECT COUNT(DISTINCT number) FROM handled")).isEqualTo(500);
      assertThat(database.count(HANDLED)).isEqualTo(500);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void handler_thatFailsTwice_isRetriedAndItsAttemptsVanishWithTheAck(QueueDatabase database) {
    enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (context.attempt() < 3) {
                    throw new IllegalStateException("not yet");
                  }
                }))) {
      awaitCount(database, LEFT, 0);
    }
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("3");
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
  }

  @Test
  void handler_thatAlwaysFails_endsAsDeadLetterWithEveryError(QueueDatabase database) {
    MessageId id = enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  throw new IllegalStateException("failure " + calls.incrementAndGet());
                }))) {
      assertThat(reason(database)).isEqualTo("attempts-exhausted");
      DeadLetters deadLetters = worker.get(DeadLetters.class);
      assertThat(deadLetters.attempts(id))
          .extracting(FailedAttempt::errorMessage)
          .containsExactly("failure 1", "failure 2", "failure 3");
      assertThat(deadLetters.list(new Topic("order"), 10))
          .singleElement()
          .satisfies(letter -> assertThat(letter.attempts()).isEqualTo(3));
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
  }

  @Test
  void redrive_deadLetter_returnsWithItsIdAndAGreaterClaimNumber(QueueDatabase database) {
    MessageId id = enqueue(database, 1);
    ConcurrentLinkedQueue<String> keys = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Integer> claims = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  keys.add(context.idempotencyKey());
                  claims.add(context.claimNumber());
                  if (claims.size() == 1) {
                    throw new PermanentFailure("no such article");
                  }
                }))) {
      assertThat(reason(database)).isEqualTo("permanent-failure");
      assertThat(worker.get(DeadLetters.class).redrive(id)).isTrue();
      assertThat(worker.get(DeadLetters.class).redrive(id)).isFalse();
      awaitCount(database, LEFT, 0);
    }
    assertThat(claims).containsExactly(1, 2);
    assertThat(keys).hasSize(2).allMatch(key -> key.equals(keys.peek()));
    assertThat(keys.peek()).endsWith("-" + id);
  }

  @Test
  void handler_thatAsksForARetryOrARelease_waitsAsAsked(QueueDatabase database) {
    enqueue(database, 1);
    enqueue(database, 2);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (order.number() == 1) {
                    throw new RetryAfter(Duration.ofHours(2), "closed");
                  }
                  throw new ReleaseMessage(Duration.ZERO, "not mine");
                }))) {
      awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND attempts = 1"
              + " AND due_at > UTC_TIMESTAMP(6) + INTERVAL 119 MINUTE",
          1);
      awaitCount(
          database, "SELECT COUNT(*) FROM queue_message WHERE claims >= 2 AND attempts = 0", 1);
    }
  }

  @Test
  void row_withBadJson_isSetAsideAndCostsNoNeighbour(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', 'no json')",
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('order', '{\"number\":1}',"
            + " '[')",
        "INSERT INTO queue_message (topic, payload) VALUES ('order', '{\"number\":2}')",
        "INSERT INTO queue_message (topic, payload) VALUES ('nobody', '{\"number\":3}')");
    try (TestWorker worker = TestWorker.start(database, Handlers.bind("order", WorkerIT::write))) {
      awaitCount(database, HANDLED, 1);
      awaitCount(database, DEAD, 2);
      assertThat(database.strings("SELECT DISTINCT reason FROM queue_dead_letter"))
          .containsExactly("undecodable");
      assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("nobody");
    }
  }

  @Test
  void row_beyondTheLimit_isSetAsideWithoutBeingLoaded(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 5000000))",
        "INSERT INTO queue_message (topic, payload)"
            + " VALUES ('order', CONCAT('{\"number\":7,\"rest\":\"', REPEAT('x', 100000), '\"}'))");
    try (TestWorker worker = TestWorker.start(database, Handlers.bind("order", WorkerIT::write))) {
      assertThat(reason(database)).isEqualTo("too-large");
      awaitCount(database, HANDLED, 1);
    }
  }

  @Test
  void row_availableButDueLater_becomesScheduled(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at)"
            + " VALUES ('order', '{\"number\":1}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    try (TestWorker worker = TestWorker.start(database, Handlers.bind("order", WorkerIT::write))) {
      awaitCount(database, "SELECT COUNT(*) FROM queue_message WHERE state = 2", 1);
      assertThat(database.count(HANDLED)).isZero();
    }
  }

  @Test
  void message_withDelay_isHandledWhenItIsDue(QueueDatabase database) {
    producer.enqueue(
        database.dataSource(),
        NewMessage.of("order", new Order(1)).withDelay(Duration.ofMillis(1500)));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 2")).isEqualTo(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) ->
                    context
                        .transaction()
                        .execute(
                            "INSERT INTO handled SELECT ?, TIMESTAMPDIFF(MICROSECOND, due_at,"
                                + " UTC_TIMESTAMP(6)) >= 0 FROM queue_message WHERE id = ?",
                            order.number(),
                            context.id().value())))) {
      awaitCount(database, "SELECT COUNT(*) FROM handled WHERE attempt = 1", 1);
    }
  }

  @Test
  void handler_thatEndsTheTransactionByJdbc_isRefusedAndRetried(QueueDatabase database) {
    enqueue(database, 1);
    ConcurrentLinkedQueue<String> refusals = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
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
                }))) {
      awaitCount(database, LEFT, 0);
    }
    assertThat(refusals)
        .hasSize(5)
        .allMatch(message -> message.contains("is refused inside a handler"));
    assertThat(database.count(HANDLED)).isEqualTo(1);
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
    enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  context.transaction().execute(sql);
                  write(order, context);
                }))) {
      assertThat(reason(database)).isEqualTo("left-transaction");
    }
    // What it committed itself stays; what it wrote afterwards does not.
    assertThat(database.count(HANDLED)).isEqualTo(1);
  }

  @Test
  void handler_thatSwallowsADeadlock_neverCommitsHalf(QueueDatabase database) {
    database.execute("CREATE TABLE IF NOT EXISTS pair (id INT PRIMARY KEY, n INT)");
    database.execute("DELETE FROM pair", "INSERT INTO pair VALUES (1, 0), (2, 0)");
    enqueue(database, 1);
    enqueue(database, 2);
    CountDownLatch bothHoldOne = new CountDownLatch(2);
    AtomicInteger swallowed = new AtomicInteger();
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  update(context, order.number());
                  bothHoldOne.countDown();
                  bothHoldOne.await();
                  try {
                    update(context, 3 - order.number());
                  } catch (org.jooq.exception.DataAccessException e) {
                    swallowed.incrementAndGet();
                  }
                }))) {
      awaitCount(database, LEFT, 0);
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
    enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (var blocker = database.dataSource().getConnection()) {
      blocker.setAutoCommit(false);
      try (Statement statement = blocker.createStatement()) {
        statement.execute("UPDATE pair SET n = 10 WHERE id = 1");
      }
      try (TestWorker worker =
          TestWorker.start(
              database,
              Handlers.bind(
                  "order",
                  (order, context) -> {
                    calls.incrementAndGet();
                    write(order, context);
                    context.transaction().execute("SET SESSION innodb_lock_wait_timeout = 1");
                    try {
                      update(context, 1);
                    } catch (org.jooq.exception.DataAccessException e) {
                      blocker.commit();
                    }
                  }))) {
        awaitCount(database, LEFT, 0);
      }
    }
    assertThat(calls).hasValue(2);
    assertThat(database.count(HANDLED)).isEqualTo(1);
    assertThat(database.count("SELECT n FROM pair")).isEqualTo(11);
  }

  @Test
  void handler_thatThrowsAnError_isRetriedAndTheThreadLives(QueueDatabase database) {
    enqueue(database, 1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (context.attempt() == 1) {
                    throw new StackOverflowError("deep");
                  }
                  write(order, context);
                }))) {
      awaitCount(database, LEFT, 0);
    }
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("2");
  }

  @Test
  void handler_thatHangs_isInterruptedAndRetried(QueueDatabase database) {
    enqueue(database, 1);
    HandlerSettings short1 =
        HandlerSettings.defaults().withTimeout(Duration.ofMillis(300)).withMaxAttempts(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  new CountDownLatch(1).await();
                },
                short1))) {
      assertThat(reason(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("HandlerTimeoutException");
    assertThat(database.count(HANDLED)).isZero();
  }

  @Test
  void handler_thatHangsInTheDatabase_hasItsConnectionCut(QueueDatabase database) {
    enqueue(database, 1);
    HandlerSettings short1 =
        HandlerSettings.defaults().withTimeout(Duration.ofMillis(300)).withMaxAttempts(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  context.transaction().execute("DO SLEEP(30)");
                },
                short1))) {
      assertThat(reason(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.count(HANDLED)).isZero();
  }

  @Test
  void handler_thatHeedsNothing_losesItsMessageAndItsThreadIsReplaced(QueueDatabase database) {
    enqueue(database, 1);
    CountDownLatch end = new CountDownLatch(1);
    HandlerSettings short1 =
        HandlerSettings.defaults().withTimeout(Duration.ofMillis(300)).withMaxAttempts(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() == 1) {
                    awaitDeafly(end);
                  }
                },
                short1))) {
      assertThat(reason(database)).isEqualTo("attempts-exhausted");
      enqueue(database, 2);
      awaitCount(database, LEFT, 0);
      end.countDown();
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("2");
  }

  private static void awaitDeafly(CountDownLatch latch) {
    boolean done = false;
    while (!done) {
      try {
        latch.await();
        done = true;
      } catch (InterruptedException e) {
        done = false;
      }
    }
  }

  @Test
  void drain_withRunningAndWaitingMessages_burnsNoAttempt(QueueDatabase database)
      throws InterruptedException {
    IntStream.range(0, 20).forEach(i -> enqueue(database, i));
    BlockingHandler<Order> blocking = new BlockingHandler<>();
    try (TestWorker worker = TestWorker.start(database, Handlers.bind("order", blocking))) {
      blocking.awaitEntered(4, SOON);
      assertThat(worker.worker().drain(Duration.ofMillis(200))).isFalse();
    }
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0 AND attempts = 0"))
        .isEqualTo(20);
  }

  @Test
  void start_withTwoHandlersForOneTopic_namesBoth(QueueDatabase database) {
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind("order", WorkerIT::write),
            binder ->
                io.rowqueue.handle.HandlerBinder.bind(binder, "order", RecordingOrders.class));
    assertThatThrownBy(() -> worker.worker().start())
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("topic 'order' has two handlers")
        .hasMessageContaining("RecordingOrders");
  }

  static final class RecordingOrders extends io.rowqueue.testkit.RecordingHandler<Order> {}

  @Test
  void start_onSchemaWithoutTables_saysToMigrate() {
    try (QueueDatabase empty = QueueDatabase.createEmpty()) {
      TestWorker worker =
          TestWorker.create(empty, config -> config, Handlers.bind("order", WorkerIT::write));
      assertThatThrownBy(() -> worker.worker().start())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("migrate");
    }
  }

  @Test
  void start_onNewerSchema_saysToDeployANewerJar(QueueDatabase database) {
    database.execute("INSERT INTO queue_schema (version, oldest_known) VALUES (99, 98)");
    try {
      TestWorker worker =
          TestWorker.create(database, config -> config, Handlers.bind("order", WorkerIT::write));
      assertThatThrownBy(() -> worker.worker().start())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("deploy a newer one");
    } finally {
      database.execute("DELETE FROM queue_schema WHERE version = 99");
    }
  }
}
