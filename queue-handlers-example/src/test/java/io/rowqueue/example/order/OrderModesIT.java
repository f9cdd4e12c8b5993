package io.rowqueue.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.NewMessage;
import io.rowqueue.example.ShopSchema;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Fault;
import io.rowqueue.testkit.InlineProducer;
import io.rowqueue.testkit.LiveWorker;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestQueue;
import io.rowqueue.testkit.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest(OrderModule.class)
class OrderModesIT {

  private static final PlaceOrder TEA = new PlaceOrder("o-1", "ada@example.org", "tea", 2);
  private static final OrderPlaced PLACED = new OrderPlaced("o-1", "ada@example.org", "tea", 2);
  private static final String MAILED = "email.order-placed";

  private final QueueDatabase database;

  OrderModesIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void stockTea() throws SQLException {
    try (Connection connection = database.connect()) {
      ShopSchema.create(connection);
      database.execute("DELETE FROM shop_order", "DELETE FROM queue_counter");
      connection.setAutoCommit(false);
      ShopSchema.stock(connection, "tea", 10);
      connection.commit();
    }
    QueueOperations.of(database.dataSource()).subscriptions().subscribe(OrderPlaced.SOURCE, MAILED);
  }

  private long orders() {
    return database.count("SELECT COUNT(*) FROM shop_order WHERE state = 'CONFIRMED'");
  }

  // snippet: test-worker
  @Test
  void order_thatIsInStock_isToldToTheMail(TestQueue queue, TestWorker worker) {
    queue.enqueue(PlaceOrder.TOPIC, TEA);
    worker.drain();
    assertThat(orders()).isEqualTo(1);
    assertThat(queue).hasEnqueued(MAILED).withPayload(PLACED).once().andNothingElse();
  }

  // end snippet

  @Test
  void order_ofNothing_isSetAside(TestQueue queue, TestWorker worker) {
    queue.enqueue(PlaceOrder.TOPIC, new PlaceOrder("o-2", "ada@example.org", "tea", 0));
    worker.runOnce();
    assertThat(queue)
        .hasDeadLetter(PlaceOrder.TOPIC)
        .withReason(DeadLetterReason.PERMANENT_FAILURE);
  }

  @Test
  void order_forTomorrow_waitsUntilThen(TestQueue queue, TestWorker worker) {
    queue.enqueue(NewMessage.of(PlaceOrder.TOPIC, TEA).withDelay(Duration.ofDays(1)));
    worker.advance(Duration.ofHours(23));
    assertThat(worker.drain()).isEmpty();
    worker.advance(Duration.ofHours(1));
    assertThat(worker.drain()).hasSize(1);
  }

  @Test
  void order_enqueuedInline_sharesTheTransactionsFate(InlineProducer producer) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, NewMessage.of(PlaceOrder.TOPIC, TEA));
      connection.rollback();
      assertThat(orders()).isZero();
      producer.enqueue(connection, NewMessage.of(PlaceOrder.TOPIC, TEA));
      connection.commit();
      assertThat(orders()).isEqualTo(1);
    }
  }

  @Test
  void order_withAWorkerThatRuns_isConfirmed(TestQueue queue, LiveWorker worker) {
    queue.enqueue(PlaceOrder.TOPIC, TEA);
    worker.awaitEnqueued(MAILED);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void order_whoseWorkerDiesBeforeTheCommit_isTakenOnce(TestQueue queue, TestWorker worker) {
    queue.enqueue(PlaceOrder.TOPIC, TEA);
    worker.failNext(Fault.CRASH_BEFORE_COMMIT);
    worker.drain();
    assertThat(queue).hasInFlight(1);
    assertThat(orders()).isZero();
    worker.advance(TestWorker.LEASE.plusSeconds(1));
    worker.drain();
    assertThat(orders()).isEqualTo(1);
    assertThat(queue).hasEnqueued(MAILED).once().andNothingElse();
  }

  @Test
  void order_handledAgainSinceItsAckWasLost_leavesTheSame(TestWorker worker) {
    worker.checkIdempotent(NewMessage.of(PlaceOrder.TOPIC, TEA));
  }
}
