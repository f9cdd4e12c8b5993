package io.rowqueue.internal.wakeup;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.Jooq;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.AdmittedConnections;
import io.rowqueue.tests.CountedStatements;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.poll.Claimer;
import io.rowqueue.worker.internal.poll.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@QueueTest
public class WakeupIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** So long that a test which depends on it does not pass. */
  private static final Duration NEVER = Duration.ofMinutes(5);

  /**
   * Only what the workers' rows name: before that a listener sleeps to try whether rings arrive.
   */
  private static final String ASLEEP =
      "SELECT COUNT(*) FROM queue_worker JOIN information_schema.processlist p"
          + " ON p.id = listener_connection WHERE p.info LIKE 'SELECT /* rowqueue listener %'";

  private static final int ROUNDS = 100;
  private static final int WORKERS = 20;

  private final MessageProducer producer = MessageProducer.create();
  private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

  private Module orders() {
    return Handlers.bind("order", (order, context) -> handled.add(order.number()));
  }

  public static NewMessage order(int number) {
    return NewMessage.of("order", new Order(number));
  }

  private static WorkerConfig neverPolling(WorkerConfig config) {
    return config.withPollInterval(NEVER).withThreads(1);
  }

  private TestWorker sleeping(QueueDatabase database) {
    TestWorker worker = TestWorker.start(database, WakeupIT::neverPolling, orders());
    awaitAsleep(database, 1);
    return worker;
  }

  public static void awaitAsleep(QueueDatabase database, int count) {
    Orders.awaitCount(database, ASLEEP, count, SOON);
  }

  private void awaitHandled(Integer... numbers) {
    Await.that("orders are handled", SOON, () -> handled.size() == numbers.length);
    assertThat(handled).containsExactlyInAnyOrder(numbers);
  }

  public static long wakes(TestWorker worker) {
    return worker.get(Listener.class).wakes();
  }

  /** On a busy machine a look may have found the message before its ring arrives. */
  private static void awaitOneRing(TestWorker worker) {
    Await.until("rings that have arrived", SOON, () -> wakes(worker), is -> is == 1);
  }

  /** Until its last poll is over, and its next one so far away that none is taken for a ring. */
  private static void awaitRareLooks(TestWorker worker) {
    Claimer claimer = worker.get(Claimer.class);
    Await.that(
        "polls are seconds apart",
        SOON,
        () -> {
          long wait = claimer.idleWait().toMillis();
          long since = claimer.sinceIteration().toMillis();
          return wait > 1_500 && since > 100 && since < wait / 3;
        });
    assertThat(wakes(worker)).isZero();
  }

  @Test
  public void dataSource_notifiesByItself(QueueDatabase database) {
    try (TestWorker worker = sleeping(database)) {
      awaitRareLooks(worker);
      producer.enqueue(database.dataSource(), order(1));
      awaitHandled(1);
      awaitOneRing(worker);
    }
  }

  @Test
  public void jdbcTransaction_isRungForAfterItsCommit(QueueDatabase database) throws SQLException {
    WorkerNotifier notifier = WorkerNotifier.over(database.dataSource());
    try (TestWorker worker = sleeping(database);
        Connection connection = database.connect()) {
      awaitRareLooks(worker);
      connection.setAutoCommit(false);
      producer.enqueue(connection, order(1));
      connection.commit();
      assertThat(wakes(worker)).isZero();
      notifier.notifyWorkers("order");
      awaitHandled(1);
      awaitOneRing(worker);
    }
  }

  @Test
  void notification_afterOneThatDied_isSent(QueueDatabase database) {
    AtomicInteger opened = new AtomicInteger();
    WorkerNotifier notifier =
        WorkerNotifier.over(
            new FreshConnections(
                () -> {
                  if (opened.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  return database.connect();
                }));
    Await.that(
        "a later notification opens a connection",
        SOON,
        () -> {
          notifier.notifyWorkers("order");
          return opened.get() > 1;
        });
  }

  /** As in Spring's afterCommit(), which still holds the transaction's connection. */
  @Test
  public void ring_byWhoHoldsTheLastConnectionOfThePool_waitsForNothing(QueueDatabase database)
      throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    try (TestWorker worker = sleeping(database);
        HikariDataSource pool = new HikariDataSource(config)) {
      awaitRareLooks(worker);
      WorkerNotifier notifier = WorkerNotifier.over(pool);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        producer.enqueue(connection, order(1));
        connection.commit();
        notifier.notifyWorkers("order");
        assertThat(handled).as("nobody can be woken yet, and nobody waited for that").isEmpty();
      }
      awaitHandled(1);
      awaitOneRing(worker);
    }
  }

  private void enqueue(DSLContext dsl, NewMessage message) {
    Jooq.inTransaction(dsl, connection -> producer.enqueue(connection, message));
  }

  @Test
  public void jooqTransaction_notifiesAfterTheOutermostCommitAndNotAfterARollback(
      QueueDatabase database) throws SQLException {
    try (TestWorker worker = sleeping(database);
        Connection connection = database.connect()) {
      awaitRareLooks(worker);
      DSLContext dsl = DSL.using(connection, ServerDialect.of(connection).jooq());
      CountedStatements kills = CountedStatements.kills();
      dsl.configuration()
          .set(Jooq.afterCommits(WorkerNotifier.over(kills.over(database.dataSource()))));
      try {
        dsl.transaction(
            transaction -> {
              enqueue(transaction.dsl(), order(1));
              throw new IllegalStateException("no");
            });
      } catch (IllegalStateException expected) {
        assertThat(expected).hasMessage("no");
      }
      assertThat(kills.count()).isZero();
      dsl.transaction(
          outer -> {
            outer.dsl().transaction(inner -> enqueue(inner.dsl(), order(2)));
            assertThat(kills.count()).isZero();
          });
      awaitHandled(2);
      assertThat(kills.count()).isOne();
      awaitOneRing(worker);
    }
  }

  @Test
  public void handlersTransaction_wakesItsOwnWorkerAndOthers(QueueDatabase database) {
    Module first =
        Handlers.bind(
            "first",
            (order, context) -> {
              producer.enqueue(context.connection(), NewMessage.of("second", order));
              producer.enqueue(context.connection(), NewMessage.of("order", order));
            });
    Module second = Handlers.bind("second", (order, context) -> handled.add(-order.number()));
    try (TestWorker worker = sleeping(database);
        TestWorker other =
            TestWorker.start(
                database, config -> neverPolling(config).withThreads(2), first, second)) {
      awaitAsleep(database, 2);
      awaitRareLooks(worker);
      producer.enqueue(database.dataSource(), NewMessage.of("first", new Order(7)));
      awaitHandled(7, -7);
      awaitOneRing(worker);
    }
  }

  @Test
  public void plainSqlAndAProducerThatDiesBeforeItsNotification_areFoundByALook(
      QueueDatabase database) {
    try (TestWorker worker =
        TestWorker.start(
            database, config -> config.withPollInterval(Duration.ofSeconds(1)), orders())) {
      awaitAsleep(database, 1);
      database.execute(
          "INSERT INTO queue_message (topic, payload) VALUES ('order', '{\"number\": 5}')");
      awaitHandled(5);
      assertThat(wakes(worker)).isZero();
    }
  }

  @Test
  public void notifiesAtTheWorstMoments_costALookAtMost(QueueDatabase database) {
    try (TestWorker worker = sleeping(database)) {
      for (int round = 0; round < ROUNDS; round++) {
        // Just when the worker has handled one, finds no more, and goes to sleep.
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(3_000_000));
        producer.enqueue(database.dataSource(), order(round));
        int expected = round + 1;
        Await.that("order " + round, SOON, () -> handled.size() == expected);
      }
      assertThat(wakes(worker)).isPositive();
    }
  }

  @Test
  public void workerWithoutRoom_leavesEveryNotificationToAnIdleOne(QueueDatabase database)
      throws Exception {
    BlockingHandler<Order> blocking = new BlockingHandler<>();
    Module slow = Handlers.bind("slow", blocking);
    UnaryOperator<WorkerConfig> one = config -> neverPolling(config).withPrefetchCount(1);
    try (TestWorker full = TestWorker.start(database, one, slow, orders())) {
      awaitAsleep(database, 1);
      producer.enqueue(database.dataSource(), NewMessage.of("slow", new Order(0)));
      blocking.awaitEntered(1, SOON);
      awaitAsleep(database, 0);
      long before = wakes(full);
      try (TestWorker idle = TestWorker.start(database, WakeupIT::neverPolling, orders())) {
        MessageProducer inTheFullOne = full.get(MessageProducer.class);
        for (int i = 1; i <= 10; i++) {
          awaitAsleep(database, 1);
          MessageProducer either = i % 2 == 0 ? producer : inTheFullOne;
          either.enqueue(database.dataSource(), order(i));
          int expected = i;
          Await.that("order " + i, SOON, () -> handled.size() == expected);
        }
        // Who has just handled one looks once more, and may find the next before it is rung for.
        assertThat(wakes(idle)).isBetween(1L, 10L);
        assertThat(wakes(full)).isEqualTo(before);
      }
      blocking.release();
    }
  }

  @Test
  public void aThousandCommitsInABurst_areFewNotifications(QueueDatabase database)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (TestWorker worker = sleeping(database)) {
      CountedStatements kills = CountedStatements.kills();
      DataSource dataSource = kills.over(database.dataSource());
      for (int i = 0; i < 1_000; i++) {
        int number = i;
        threads.execute(() -> producer.enqueue(dataSource, order(number)));
      }
      // A thousand flushes take long on a slow disk, and the next test must not find the rest.
      threads.shutdown();
      assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
      Await.that("all are handled", SOON, () -> handled.size() == 1_000);
      assertThat(handled).doesNotHaveDuplicates();
      assertThat(kills.count()).as("rings").isBetween(1, 499);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void manyIdleWorkers_oneWakesForOneMessageAndEightAtMostForThousands(
      QueueDatabase database) {
    List<TestWorker> workers = new ArrayList<>();
    try (AdmittedConnections admitted = AdmittedConnections.atLeast(database, 500)) {
      for (int i = 0; i < WORKERS; i++) {
        workers.add(TestWorker.start(database, WakeupIT::neverPolling, orders()));
      }
      awaitAsleep(database, WORKERS);
      long before = wakes(workers);
      producer.enqueue(database.dataSource(), order(1));
      awaitHandled(1);
      // One that has just started may find it by a look of its own, before the ring arrives.
      Await.that("one has woken", SOON, () -> wakes(workers) > before);
      assertThat(wakes(workers) - before).as("workers that woke for one message").isOne();

      awaitAsleep(database, WORKERS);
      producer.enqueueAll(
          database.dataSource(), IntStream.range(2, 2_002).mapToObj(WakeupIT::order).toList());
      Await.that("all are handled", SOON, () -> handled.size() == 2_001);
      assertThat(wakes(workers) - before).as("and for two thousand").isBetween(2L, 9L);
    } finally {
      workers.forEach(TestWorker::close);
    }
  }

  private static long wakes(List<TestWorker> workers) {
    return workers.stream().mapToLong(WakeupIT::wakes).sum();
  }

  @Test
  public void listenersConnection_killed_isReplaced(QueueDatabase database) {
    try (TestWorker worker = sleeping(database)) {
      String query = "SELECT listener_connection FROM queue_worker";
      String first = database.strings(query).get(0);
      database.execute("KILL " + first);
      Await.until(
          "another listener",
          SOON,
          () -> database.strings(query).get(0),
          now -> !now.equals(first) && !now.equals("null"));
      awaitAsleep(database, 1);
      producer.enqueue(database.dataSource(), order(1));
      awaitHandled(1);
      awaitOneRing(worker);
    }
  }

  /** Each worker of an application's pool has a session whose wait_timeout is short. */
  @Test
  @Tag("ci")
  void listenersConnection_ofAWorkerThatIsBusyForLongerThanWaitTimeout_isKept(
      QueueDatabase database) throws Exception {
    BlockingHandler<Order> blocking = new BlockingHandler<>();
    try (TestWorker worker =
        TestWorker.startAt(
            database.url() + "&sessionVariables=wait_timeout=4",
            config -> neverPolling(config).withPrefetchCount(1),
            Handlers.bind("order", blocking))) {
      awaitAsleep(database, 1);
      String query = "SELECT listener_connection FROM queue_worker";
      List<String> before = database.strings(query);
      producer.enqueue(database.dataSource(), order(1));
      blocking.awaitEntered(1, SOON);
      awaitAsleep(database, 0);
      database.strings("SELECT SLEEP(6)");
      blocking.release();
      awaitAsleep(database, 1);
      assertThat(database.strings(query)).isEqualTo(before);
    }
  }
}
