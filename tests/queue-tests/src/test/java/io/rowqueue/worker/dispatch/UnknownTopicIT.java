package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker beside messages of a topic that it has no handler for, such as one yet to come. */
@QueueTest
class UnknownTopicIT {

  private final QueueDatabase database;

  UnknownTopicIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  /** Its numbers begin where those of the orders end. */
  private void enqueueLater(int from, int to) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(from, to).mapToObj(i -> NewMessage.of("later", new Order(i))).toList());
  }

  private void assertUntouched(int count) {
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', topic, state, claims, attempts, lost, lock_id, COUNT(*))"
                    + " FROM queue_message GROUP BY topic, state, claims, attempts, lost, lock_id"))
        .containsExactly("later 0 0 0 0  " + count);
  }

  @Test
  void messages_ofATopicThatAWorkerDoesNotKnow_areLeftForOneThatDoes() {
    enqueueLater(21, 41);
    Orders.enqueueAll(database, 20);
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, Orders.HANDLED, 20);
      // Handled by a look that those before it have not ended.
      Orders.enqueue(database, 20);
      Orders.awaitCount(database, Orders.HANDLED, 21);
      assertUntouched(20);
      try (TestWorker other = TestWorker.start(database, Handlers.bind("later", Orders::write))) {
        Orders.awaitNoneLeft(database);
      }
    }
    Orders.assertHandled(database, 41, Set.of());
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void runOnce_besideATopicThatItDoesNotKnow_endsAndLeavesIt() {
    enqueueLater(10, 15);
    Orders.enqueueAll(database, 10);
    try (TestWorker worker =
        TestWorker.create(database, config -> config, Handlers.bind("order", Orders::write))) {
      assertThat(worker.worker().runOnce()).isEqualTo(10);
    }
    assertUntouched(5);
  }
}
