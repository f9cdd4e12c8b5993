package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The same handlers in each of the three modes. */
@QueueTest(ModesIT.Shop.class)
class ModesIT {

  private static final String SALES = "SELECT COUNT(*) FROM sale";

  private static final String LARGE = "x".repeat(100_000);

  private final QueueDatabase database;
  private final TestQueue queue;

  ModesIT(QueueDatabase database, TestQueue queue) {
    this.database = database;
    this.queue = queue;
  }

  @BeforeAll
  static void table(QueueDatabase database) {
    database.execute("CREATE TABLE sale (sku LONGTEXT)");
  }

  @Test
  void manual_handlesWhenToldTo(TestWorker worker) {
    database.execute("DELETE FROM sale");
    queue.enqueue("order", "tea");
    assertThat(queue).hasDepth("order", 1);
    assertThat(worker.runOnce()).hasSize(1);
    assertThat(queue).hasEnqueued("mail").withPayload("tea").once().andNothingElse();
    assertThat(database.count(SALES)).isEqualTo(1);
  }

  @Test
  void manual_payloadOutsideItsRow_isHandledAndHandledAgain(TestWorker worker) {
    database.execute("DELETE FROM sale");
    queue.enqueue("order", LARGE);
    worker.failNext(Fault.DELIVERED_TWICE);
    assertThat(worker.runOnce()).hasSize(1);
    assertThat(worker.runOnce()).hasSize(1);
    assertThat(queue).hasEnqueued("mail").withPayload(LARGE).times(2).andNothingElse();
    assertThat(database.strings("SELECT sku FROM sale")).containsExactly(LARGE, LARGE);
  }

  @Test
  void inline_payloadOutsideItsRow_isHandled(InlineProducer producer) {
    database.execute("DELETE FROM sale");
    producer.enqueue(database.dataSource(), NewMessage.of("order", LARGE));
    assertThat(database.strings("SELECT sku FROM sale")).containsExactly(LARGE);
  }

  @Test
  void live_handlesByItself(LiveWorker worker) {
    database.execute("DELETE FROM sale");
    queue.enqueue("order", "tea");
    worker.awaitEnqueued("mail");
    assertThat(queue).hasEnqueued("mail").once().andNothingElse();
    assertThat(database.count(SALES)).isEqualTo(1);
    assertThatThrownBy(() -> worker.await("never", Duration.ofMillis(1), contents -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("never", "message", "'mail', available");
  }

  @Test
  void inline_handlesInTheTransactionOfTheEnqueue(InlineProducer producer) throws SQLException {
    database.execute("DELETE FROM sale");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, NewMessage.of("order", "tea"));
      assertThat(statement.executeQuery("SELECT * FROM sale").next()).isTrue();
      assertThat(database.count(SALES)).as("not committed").isZero();
      connection.rollback();
      assertThat(database.count(SALES)).isZero();
      assertThat(queue).isEmpty();
      producer.enqueue(connection, NewMessage.of("order", "milk"));
      connection.commit();
    }
    assertThat(database.strings("SELECT sku FROM sale")).containsExactly("milk");
    assertThat(queue).hasEnqueued("mail").withPayload("milk").once().andNothingElse();
  }

  @Test
  void inline_messageThatWaits_staysInTheQueue(InlineProducer producer) {
    producer.enqueue(
        database.dataSource(), NewMessage.of("order", "tea").withDelay(Duration.ofHours(1)));
    assertThat(queue).hasEnqueued("order").scheduledIn(Duration.ofHours(1)).andNothingElse();
  }

  @Test
  void inline_handlerThatFails_throwsAndUndoesItAll(InlineProducer producer) {
    database.execute("DELETE FROM sale");
    assertThatThrownBy(() -> producer.enqueue(database.dataSource(), NewMessage.of("order", "gin")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("'order'", "DEAD_LETTERED", "we sell no gin");
    assertThat(queue).isEmpty().hasNoDeadLetters();
    assertThat(database.count(SALES)).isZero();
  }

  @Test
  void producer_isAPlainOne(MessageProducer producer) {
    producer.enqueue(database.dataSource(), NewMessage.of("order", "tea"));
    assertThat(queue).hasEnqueued("order").once().andNothingElse();
  }

  @Nested
  class Inner {

    @Test
    void nestedClass_hasTheModulesOfItsOuterClass(TestWorker worker) {
      queue.enqueue("order", "tea");
      assertThat(worker.drain()).hasSize(1);
    }
  }

  static final class Shop extends AbstractModule {
    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), "order", OrderHandler.class);
    }
  }

  private static final class OrderHandler implements MessageHandler<String> {

    private final MessageProducer producer;

    @Inject
    OrderHandler(MessageProducer producer) {
      this.producer = producer;
    }

    @Override
    public void handle(String sku, HandlerContext context) {
      context.transaction().execute("INSERT INTO sale (sku) VALUES (?)", sku);
      producer.enqueue(context.connection(), NewMessage.of("mail", sku));
      if (sku.equals("gin")) {
        throw new PermanentFailure("we sell no gin");
      }
    }
  }
}
