package io.rowqueue.example.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.ShopSchema;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.FakeContext;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class PlaceOrderHandlerIT {

  @BeforeEach
  void emptyShop(QueueDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      ShopSchema.create(connection);
      database.execute("DELETE FROM shop_order", "DELETE FROM queue_counter");
      connection.setAutoCommit(false);
      ShopSchema.stock(connection, "tea", 95);
      connection.commit();
    }
  }

  @Test
  void orders_moreThanTheStockOnSixteenThreads_neverOversell(QueueDatabase database) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, 120)
                .mapToObj(i -> new PlaceOrder("o-" + i, "ada@example.org", "tea", 1))
                .map(order -> NewMessage.of(PlaceOrder.TOPIC, order))
                .toList());
    Subscriptions subscriptions = QueueOperations.of(database.dataSource()).subscriptions();
    subscriptions.subscribe(OrderPlaced.SOURCE, "test.placed");
    subscriptions.subscribe(OrderRefused.SOURCE, "test.refused");
    Injector injector =
        Guice.createInjector(
            new WorkerModule(WorkerConfig.defaults(database.config())), new OrderModule());
    try (Worker worker = injector.getInstance(Worker.class)) {
      worker.start();
      Await.until(
          "every order is answered",
          Duration.ofSeconds(30),
          () -> database.count("SELECT COUNT(*) FROM shop_order"),
          answered -> answered == 120);
    }
    assertThat(database.count("SELECT COUNT(*) FROM shop_order WHERE state = 'CONFIRMED'"))
        .isEqualTo(95);
    assertThat(database.count("SELECT SUM(amount) FROM queue_counter")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'test.placed'"))
        .isEqualTo(95);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'test.refused'"))
        .isEqualTo(25);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(120);
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
  }

  @Test
  void order_largerThanASlot_isTakenFromSeveral(QueueDatabase database) throws SQLException {
    handle(database, new PlaceOrder("large", "ada@example.org", "tea", 60));
    assertThat(database.count("SELECT SUM(amount) FROM queue_counter")).isEqualTo(35);
    handle(database, new PlaceOrder("too-large", "ada@example.org", "tea", 36));
    handle(database, new PlaceOrder("unknown", "ada@example.org", "coffee", 1));
    assertThat(database.strings("SELECT state FROM shop_order ORDER BY id"))
        .containsExactly("CONFIRMED", "REFUSED", "REFUSED");
    assertThat(database.count("SELECT SUM(amount) FROM queue_counter")).isEqualTo(35);
  }

  @Test
  void order_forNothing_failsForGood(QueueDatabase database) {
    assertThatThrownBy(() -> handle(database, new PlaceOrder("none", "ada@example.org", "tea", 0)))
        .isInstanceOf(PermanentFailure.class);
  }

  private static void handle(QueueDatabase database, PlaceOrder order) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      new PlaceOrderHandler(MessageProducer.create())
          .handle(order, FakeContext.aContext().withTransaction(connection));
      connection.commit();
    }
  }
}
