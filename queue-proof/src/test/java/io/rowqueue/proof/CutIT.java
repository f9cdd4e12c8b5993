package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@QueueTest
class CutIT {

  private static final String RUNNING =
      "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
          + " AND info LIKE 'SELECT BENCHMARK%'";

  /** Left alone, it would run for longer than any test, and look at no socket meanwhile. */
  private static final String ENDLESS = "SELECT BENCHMARK(1000000000000, SHA2('rowqueue', 256))";

  @Test
  void handler_whoseStatementDoesNotEnd_leavesNoLockInTheServer(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, amount INT)",
        "REPLACE INTO account VALUES (1, 0)");
    MessageProducer.create().enqueue(database.dataSource(), NewMessage.of("order", new Order(1)));
    HandlerSettings settings =
        HandlerSettings.defaults().withTimeout(Duration.ofMillis(500)).withMaxAttempts(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bind(
                "order",
                (order, context) -> {
                  context.transaction().execute("UPDATE account SET amount = 1 WHERE id = 1");
                  context.transaction().execute(ENDLESS);
                },
                settings))) {
      Await.until("it runs", Duration.ofSeconds(20), () -> database.count(RUNNING), n -> n == 1);
      Await.until("it is cut", Duration.ofSeconds(20), () -> database.count(RUNNING), n -> n == 0);
      database.execute(
          "SET SESSION innodb_lock_wait_timeout = 1", "UPDATE account SET amount = amount + 5");
      Await.until(
          "it is settled",
          Duration.ofSeconds(20),
          () -> database.count("SELECT COUNT(*) FROM queue_dead_letter"),
          dead -> dead == 1);
    }
    assertThat(database.strings("SELECT amount FROM account")).containsExactly("5");
  }
}
