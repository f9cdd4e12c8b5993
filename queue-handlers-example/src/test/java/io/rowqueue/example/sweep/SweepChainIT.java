package io.rowqueue.example.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.MessageProducer;
import io.rowqueue.example.ShopDatabase;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole sweep in workers: the chain from its start, with a crowd that starts it too often. */
@QueueTest
class SweepChainIT {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final SweepConfig OFTEN =
      new SweepConfig(Duration.ofMillis(20), Duration.ofDays(2), Duration.ofHours(1), 7);

  private ShopFloor floor;

  @BeforeEach
  void openShop(QueueDatabase database) throws SQLException {
    floor = new ShopFloor(database);
  }

  @Test
  void chain_startedOften_cancelsWhatIsUnpaidAndStaysOne(QueueDatabase database) {
    floor.place("old", 60, 3);
    floor.place("young", 10, 1);
    for (int i = 0; i < 60; i += 3) {
      assertThat(floor.desk.pay("old-" + i)).isTrue();
    }
    startChain(5);
    try (Worker one = worker();
        Worker two = worker()) {
      one.start();
      two.start();
      Await.until(
          "all old orders are settled", LONGEST, () -> floor.in("CONFIRMED"), left -> left == 10);
      startChain(5);
      long now = generation();
      Await.until("the chain goes on", LONGEST, this::generation, run -> run > now + 10);
      Await.until(
          "one sweep is left", LONGEST, () -> floor.messages(SweepOrders.TOPIC), left -> left == 1);
    }
    assertThat(floor.messages(SweepOrders.TOPIC)).isEqualTo(1);
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isZero();
    assertThat(floor.in("PAID")).isEqualTo(20);
    assertThat(floor.in("CANCELLED")).isEqualTo(40);
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK - 20 - 10);
    assertThat(floor.messages("email.send")).isEqualTo(40);
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
    assertThat(
            database.count(
                "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM shop_order"
                    + " WHERE sweep_id > 0 GROUP BY sweep_id) AS runs"))
        .isLessThanOrEqualTo(7);
  }

  @Test
  void chain_thatLostItsMessage_livesAgainWhenItIsStarted(QueueDatabase database) {
    startChain(1);
    database.execute("DELETE FROM queue_message");
    floor.place("old", 1, 3);
    startChain(1);
    try (Worker worker = worker()) {
      worker.start();
      Await.until("it is cancelled", LONGEST, () -> floor.in("CANCELLED"), done -> done == 1);
    }
    assertThat(floor.messages(SweepOrders.TOPIC)).isEqualTo(1);
  }

  private long generation() {
    return floor.database.count("SELECT generation FROM shop_sweep");
  }

  private void startChain(int times) {
    MessageProducer producer = MessageProducer.create();
    for (int i = 0; i < times; i++) {
      floor.shop.transaction(
          transaction -> {
            SweepChain.start(transaction, producer);
            return true;
          });
    }
  }

  private Worker worker() {
    var shop =
        new AbstractModule() {
          @Override
          protected void configure() {
            OptionalBinder.newOptionalBinder(binder(), ShopDatabase.class)
                .setBinding()
                .toInstance(ShopDatabase.on(floor.database.dataSource()));
            OptionalBinder.newOptionalBinder(binder(), SweepConfig.class)
                .setBinding()
                .toInstance(OFTEN);
          }
        };
    var worker = new WorkerModule(WorkerConfig.defaults(floor.database.config()));
    return Guice.createInjector(worker, new SweepModule(), shop).getInstance(Worker.class);
  }
}
