package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.listen.ListenerSleep;
import io.rowqueue.internal.listen.Listeners;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.wakeup.WakeupIT;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.grant.AccountCheck.MissingPrivilegeException;
import io.rowqueue.worker.internal.grant.Grant;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@QueueTest
@ExtendWith(OwnThreads.class)
class LeastPrivilegeIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration NEVER = Duration.ofMinutes(5);

  private final QueueDatabase database;
  private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

  LeastPrivilegeIT(QueueDatabase database) {
    this.database = database;
  }

  record Order(int number) {}

  private static NewMessage order(int number) {
    return NewMessage.of("order", new Order(number));
  }

  private Module orders() {
    return LambdaHandlers.bind(
        "order", Order.class, (order, context) -> handled.add(order.number()));
  }

  private TestWorker idle(Accounts account) {
    TestWorker worker =
        TestWorker.startAt(account.url(), config -> config.withPollInterval(NEVER), orders());
    WakeupIT.awaitAsleep(database, 1);
    return worker;
  }

  @Test
  void worker_withExactlyItsScript_holdsItsLockAndIsWokenByItsOwnAccount() {
    try (Accounts account = Accounts.with(database, Role.WORKER, Role.PRODUCER);
        TestWorker worker = idle(account)) {
      assertThat(database.count("SELECT COUNT(IS_USED_LOCK(lock_id)) FROM queue_worker"))
          .isEqualTo(1);
      MessageProducer.create().enqueue(account.dataSource(), order(1));
      Await.that("it is handled", SOON, () -> handled.contains(1));
      worker.awaitNotification(SOON);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void worker_withExactlyItsScript_endsAHungStatementInTheServer() {
    String running =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
            + " AND info LIKE 'SELECT BENCHMARK%'";
    MessageProducer.create().enqueue(database.dataSource(), order(1));
    try (Accounts account = Accounts.with(database, Role.WORKER);
        TestWorker worker =
            TestWorker.startAt(
                account.url(),
                config -> config,
                LambdaHandlers.bind(
                    "order",
                    Order.class,
                    (order, context) ->
                        context
                            .transaction()
                            .execute("SELECT BENCHMARK(1000000000000, SHA2('rowqueue', 256))"),
                    HandlerSettings.defaults().withTimeout(Duration.ofSeconds(1))))) {
      Orders.awaitCount(database, running, 1, SOON);
      Orders.awaitCount(database, running, 0, SOON);
    }
  }

  @Test
  void handlers_mayEnqueue_andNeedGrantsOfTheirOwnForTheirTables() {
    database.execute("CREATE TABLE IF NOT EXISTS shop_order (number INT PRIMARY KEY)");
    MessageProducer producer = MessageProducer.create();
    Module handler =
        LambdaHandlers.bind(
            "order",
            Order.class,
            (order, context) -> {
              if (order.number() == 1) {
                context.transaction().execute("INSERT INTO shop_order VALUES (1)");
              } else {
                producer.enqueue(context.connection(), NewMessage.of("elsewhere", "p"));
              }
            },
            HandlerSettings.defaults().withMaxAttempts(1));
    producer.enqueueAll(database.dataSource(), List.of(order(1), order(2)));
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      runOnce(account, handler);
      assertThat(database.strings("SELECT detail FROM queue_dead_letter"))
          .singleElement()
          .asString()
          .contains("INSERT command denied", "shop_order");
      assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("elsewhere");
      producer.enqueue(database.dataSource(), order(1));
      database.execute(
          "GRANT INSERT ON %s.shop_order TO '%s'@'%%'".formatted(database.name(), account.user()));
      runOnce(account, handler);
    }
    assertThat(database.count("SELECT COUNT(*) FROM shop_order")).isEqualTo(1);
    database.execute("DROP TABLE shop_order");
  }

  private static void runOnce(Accounts account, Module handler) {
    try (TestWorker worker = TestWorker.startAt(account.url(), config -> config, handler)) {
      Await.that("all are settled", SOON, () -> orders(account) == 0);
    }
  }

  private static long orders(Accounts account) {
    return account.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'order'");
  }

  @Test
  void worker_thatLacksWhatItNeedsLater_doesNotStartAndSaysWhat() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      account.without(
          new Grant("INSERT", List.of(), "queue_dead_letter"),
          () ->
              assertThatThrownBy(
                      () -> TestWorker.startAt(account.url(), config -> config, orders()))
                  .isInstanceOf(MissingPrivilegeException.class)
                  .hasMessageContaining("of a worker: INSERT on queue_dead_letter; let an"));
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void ring_byAnAccountOfItsOwn_wakesTheWorker() {
    try (Accounts workers = Accounts.with(database, Role.WORKER);
        Accounts producers = Accounts.with(database, Role.PRODUCER, Role.NOTIFIER);
        TestWorker worker = idle(workers)) {
      MessageProducer.create().enqueue(producers.dataSource(), order(1));
      Await.that("it is handled", SOON, () -> handled.contains(1));
      worker.awaitNotification(SOON);
    }
  }

  /** Rule 12 of the protocol, privilege by privilege. */
  @Test
  void ring_byAnAccountOfItsOwn_needsAllOfItsScript() throws Exception {
    try (Accounts workers = Accounts.with(database, Role.WORKER);
        Accounts ringer = Accounts.with(database, Role.NOTIFIER);
        Connection listener = workers.dataSource().getConnection()) {
      long id = listening(listener);
      AccountActions plays = new AccountActions(() -> {});
      DataSource dataSource = plays.watched(ringer.dataSource());
      plays.add("look for the listeners", () -> poll(dataSource));
      plays.add("wake one", () -> wake(listener, id, dataSource));
      ringer.assertExact(Role.NOTIFIER, plays);
    }
  }

  private long listening(Connection listener) throws SQLException {
    long id;
    try (var row = listener.createStatement().executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      id = row.getLong(1);
    }
    database.execute(
        """
        INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,
          updated_at, listener_connection, server_identity)
        VALUES ('h-1-x', 'h', 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 't', 'elsewhere',
          UTC_TIMESTAMP(), UTC_TIMESTAMP(), %d, %s)
        """
            .formatted(
                id, database.isMariaDb() ? "CONCAT(@@hostname, ':', @@port)" : "@@server_uuid"));
    return id;
  }

  /** What it cannot see it says in a warning; nobody is to be woken here. */
  private static void poll(DataSource ringer) {
    try (CapturedLog log = CapturedLog.of("io.rowqueue.internal.listen");
        Connection connection = ringer.getConnection()) {
      WorkerNotifier.over(ringer).notifyWorkers(Map.of(new Topic("nothing"), 1), connection);
      assertThat(log.lines()).isEmpty();
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void wake(Connection listener, long id, DataSource ringer) {
    CompletableFuture<Boolean> woken =
        CompletableFuture.supplyAsync(() -> slept(listener, id, Duration.ofSeconds(3)));
    try (Connection connection = ringer.getConnection()) {
      boolean notified = false;
      while (!notified && !woken.isDone()) {
        notified = Listeners.wake(connection, id);
      }
      assertThat(notified).as("it saw the listener").isTrue();
      assertThat(woken.join()).as("the listener woke").isTrue();
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } finally {
      woken.join();
    }
  }

  private static boolean slept(Connection listener, long id, Duration longest) {
    try {
      return ListenerSleep.sleep(listener, id, longest);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
