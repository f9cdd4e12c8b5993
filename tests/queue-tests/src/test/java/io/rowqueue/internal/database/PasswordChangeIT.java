package io.rowqueue.internal.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A password that is changed in the server while a worker runs. */
@QueueTest
class PasswordChangeIT {

  private final QueueDatabase database;
  private final String user;
  private final String account;
  private final String url;

  PasswordChangeIT(QueueDatabase database) {
    this.database = database;
    user = "p_" + database.name().substring(Math.max(0, database.name().length() - 20));
    account = "'%s'@'%%'".formatted(user);
    url = database.url().replaceFirst("[?].*", "") + "?allowPublicKeyRetrieval=true";
  }

  @BeforeEach
  void createAccount() {
    Orders.openBooks(database);
    database.execute(
        "CREATE USER %s IDENTIFIED BY 'one'".formatted(account),
        "GRANT ALL ON `%s`.* TO %s".formatted(database.name(), account));
  }

  @AfterEach
  void dropAccount() {
    database.execute("DROP USER " + account);
  }

  @Test
  void worker_readsThePasswordForEachNewConnection() {
    AtomicReference<String> password = new AtomicReference<>("one");
    WorkerConfig config =
        WorkerConfig.defaults(new DatabaseConfig(url, user, password::get))
            .withThreads(2)
            .withPollInterval(Duration.ofMillis(100));
    try (TestWorker worker =
        TestWorker.startAt(url, unused -> config, Handlers.bind("order", Orders::write))) {
      Orders.enqueue(database, 0);
      Orders.awaitNoneLeft(database);
      changePassword();
      password.set("two");
      database
          .strings(
              "SELECT CAST(id AS CHAR) FROM information_schema.processlist WHERE user = '%s'"
                  .formatted(user))
          .forEach(this::kill);
      Orders.enqueue(database, 1);
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, 2, Set.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void producerAndWorker_overAPool_followItsPassword(String driver) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url.replace("jdbc:mysql:", "jdbc:" + driver + ":"));
      pool.setUsername(user);
      pool.setPassword("one");
      MessageProducer producer = MessageProducer.create();
      try (Worker worker =
          Worker.builder(pool).handle("order", Order.class, Orders::write).threads(2).start()) {
        producer.enqueue(pool, NewMessage.of("order", new Order(0)));
        Orders.awaitNoneLeft(database);
        changePassword();
        pool.getHikariConfigMXBean().setPassword("two");
        pool.getHikariPoolMXBean().softEvictConnections();
        producer.enqueue(pool, NewMessage.of("order", new Order(1)));
        Orders.awaitNoneLeft(database);
      }
    }
    Orders.assertHandled(database, 2, Set.of());
  }

  private void changePassword() {
    database.execute("ALTER USER %s IDENTIFIED BY 'two'".formatted(account));
  }

  /** One that has ended meanwhile needs none. */
  private void kill(String id) {
    try {
      database.execute("KILL " + id);
    } catch (io.rowqueue.testkit.TestServerException e) {
      if (!String.valueOf(e.getMessage()).contains("Unknown thread id")) {
        throw e;
      }
    }
  }
}
