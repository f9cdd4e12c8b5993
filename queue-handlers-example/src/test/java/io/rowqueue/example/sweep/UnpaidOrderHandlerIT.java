package io.rowqueue.example.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.testkit.FakeContext;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of one order that a run has taken. */
@QueueTest
class UnpaidOrderHandlerIT {

  private ShopFloor floor;

  @BeforeEach
  void openShop(QueueDatabase database) throws SQLException {
    floor = new ShopFloor(database);
  }

  @Test
  void order_unpaid_isCancelledOnceHoweverOftenItsMessageComes() throws Exception {
    floor.place("old", 1, 3);
    floor.take(1);
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK - 1);
    floor.settle("old-0", 1);
    floor.settle("old-0", 1);
    assertThat(floor.in("CANCELLED")).isEqualTo(1);
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK);
    assertThat(floor.messages("email.send")).isEqualTo(1);
  }

  @Test
  void order_paidAfterItWasTaken_isNotCancelled() throws Exception {
    floor.place("old", 1, 3);
    floor.take(1);
    assertThat(floor.desk.pay("old-0")).isTrue();
    floor.settle("old-0", 1);
    assertThat(floor.in("PAID")).isEqualTo(1);
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK - 1);
    assertThat(floor.messages("email.send")).isZero();
  }

  @Test
  void order_paidBetweenTheAnswerAndTheCancellation_isRefusedAtTheDesk() throws Exception {
    floor.place("old", 1, 3);
    floor.take(1);
    List<Boolean> paid = new ArrayList<>();
    PaymentDesk customerComesLate =
        orderId -> {
          PaymentDesk.Answer answer = floor.desk.close(orderId);
          paid.add(floor.desk.pay(orderId));
          return answer;
        };
    new UnpaidOrderHandler(customerComesLate, floor.shop, MessageProducer.create())
        .handle(new UnpaidOrder("old-0", 1), FakeContext.aContext());
    assertThat(paid).containsExactly(false);
    assertThat(floor.in("CANCELLED")).isEqualTo(1);
  }

  @Test
  void orders_paidWhileTheyAreSettled_areCancelledIfAndOnlyIfTheMoneyIsRefused() throws Exception {
    floor.place("old", 60, 3);
    for (long run = 1; run <= 20; run++) {
      floor.take(run);
    }
    settle(0);
    assertThat(floor.desk.pay("old-59")).isTrue();
    List<String> paid = new ArrayList<>(List.of("old-59"));
    ExecutorService customers = Executors.newSingleThreadExecutor();
    try {
      Future<?> paying =
          customers.submit(
              () -> {
                for (int i = 58; i >= 0; i--) {
                  if (floor.desk.pay("old-" + i)) {
                    paid.add("old-" + i);
                  }
                }
              });
      for (int i = 1; i < 60; i++) {
        settle(i);
      }
      paying.get();
    } finally {
      customers.shutdown();
    }
    assertThat(floor.database.strings("SELECT id FROM shop_order WHERE state = 'PAID'"))
        .containsExactlyInAnyOrderElementsOf(paid);
    assertThat(floor.in("CANCELLED")).isPositive().isEqualTo(60 - paid.size());
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK - paid.size());
    assertThat(floor.messages("email.send")).isEqualTo(60 - paid.size());
  }

  private void settle(int order) throws Exception {
    String id = "old-" + order;
    long run = floor.database.count("SELECT sweep_id FROM shop_order WHERE id = '" + id + "'");
    floor.settle(id, run);
  }
}
