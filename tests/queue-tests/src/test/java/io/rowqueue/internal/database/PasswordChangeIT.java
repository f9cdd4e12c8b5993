package io.rowqueue.internal.database;

import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A password that is changed while a worker runs, in the server and in its file. */
@QueueTest
class PasswordChangeIT {

  @Test
  void worker_readsThePasswordForEachNewConnection(QueueDatabase database) {
    Orders.openBooks(database);
    String user = "p_" + database.name().substring(Math.max(0, database.name().length() - 20));
    String account = "'%s'@'%%'".formatted(user);
    AtomicReference<String> password = new AtomicReference<>("one");
    database.execute(
        "CREATE USER %s IDENTIFIED BY 'one'".formatted(account),
        "GRANT ALL ON `%s`.* TO %s".formatted(database.name(), account));
    String url = database.url().replaceFirst("[?].*", "") + "?allowPublicKeyRetrieval=true";
    WorkerConfig config =
        WorkerConfig.defaults(new DatabaseConfig(url, user, password::get))
            .withThreads(2)
            .withPollInterval(Duration.ofMillis(100));
    try (TestWorker worker =
        TestWorker.startAt(url, unused -> config, Handlers.bind("order", Orders::write))) {
      Orders.enqueue(database, 0);
      Orders.awaitNoneLeft(database);
      database.execute("ALTER USER %s IDENTIFIED BY 'two'".formatted(account));
      password.set("two");
      database
          .strings(
              "SELECT CAST(id AS CHAR) FROM information_schema.processlist WHERE user = '%s'"
                  .formatted(user))
          .forEach(id -> kill(database, id));
      Orders.enqueue(database, 1);
      Orders.awaitNoneLeft(database);
    } finally {
      database.execute("DROP USER " + account);
    }
    Orders.assertHandled(database, 2, Set.of());
  }

  /** One that has ended meanwhile needs none. */
  private static void kill(QueueDatabase database, String id) {
    try {
      database.execute("KILL " + id);
    } catch (io.rowqueue.testkit.TestServerException e) {
      if (!String.valueOf(e.getMessage()).contains("Unknown thread id")) {
        throw e;
      }
    }
  }
}
