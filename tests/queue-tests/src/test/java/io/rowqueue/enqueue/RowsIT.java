package io.rowqueue.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.message.NewMessage;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows as anybody may have written them, and when they are due. */
@QueueTest
class RowsIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void row_withBadJson_isSetAsideAndCostsNoNeighbour(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', 'no json')",
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('order', '{\"number\":1}',"
            + " '[')",
        "INSERT INTO queue_message (topic, payload) VALUES ('order', '{\"number\":2}')",
        "INSERT INTO queue_message (topic, payload) VALUES ('nobody', '{\"number\":3}')");
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
      Orders.awaitCount(database, Orders.DEAD, 2);
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
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("too-large");
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
  }

  @Test
  void row_availableButDueLater_becomesScheduled(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at)"
            + " VALUES ('order', '{\"number\":1}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message WHERE state = 2", 1);
      assertThat(database.count(Orders.HANDLED)).isZero();
    }
  }

  @Test
  void message_withDelay_isHandledWhenItIsDue(QueueDatabase database) {
    MessageProducer.create()
        .enqueue(
            database.dataSource(),
            NewMessage.of("order", new Order(1)).withDelay(Duration.ofMillis(1500)));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 2")).isEqualTo(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) ->
                context
                    .transaction()
                    .execute(
                        "INSERT INTO handled SELECT ?, TIMESTAMPDIFF(MICROSECOND, due_at,"
                            + " UTC_TIMESTAMP(6)) >= 0 FROM queue_message WHERE id = ?",
                        order.number(),
                        context.id().value()))) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM handled WHERE attempt = 1", 1);
    }
  }
}
