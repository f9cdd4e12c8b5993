package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers that ask for more time. */
@QueueTest
class LongHandlerIT {

  private static final HandlerSettings SHORT =
      HandlerSettings.defaults().withTimeout(Duration.ofMillis(500)).withMaxAttempts(1);

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void handler_thatExtendsItsTimeout_runsPastTheFirstOne(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              assertThat(context.extendTimeout(Duration.ofSeconds(20)))
                  .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
              context.transaction().execute("DO SLEEP(2)");
              Orders.write(order, context);
            },
            SHORT.withLongestTimeout(Duration.ofMinutes(1)))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** Nothing that it asks for shortens what it had. */
  @Test
  void handler_thatAsksForLess_keepsWhatItHas(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              context.extendTimeout(Duration.ofSeconds(10));
              assertThat(context.extendTimeout(Duration.ZERO)).isGreaterThan(Duration.ofSeconds(5));
              Orders.write(order, context);
            },
            SHORT.withLongestTimeout(Duration.ofMinutes(1)))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  @Test
  void handler_thatExtendsForEver_endsAtTheLongestTimeout(QueueDatabase database) {
    Orders.enqueue(database, 1);
    Queue<Duration> left = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              while (true) {
                left.add(context.extendTimeout(Duration.ofSeconds(20)));
                TimeUnit.MILLISECONDS.sleep(100);
              }
            },
            SHORT.withLongestTimeout(Duration.ofSeconds(1)))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(left).hasSizeGreaterThan(5).allMatch(one -> one.toMillis() <= 1_000);
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("HandlerTimeoutException")
        .contains("1 s");
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  /** One that extended once is watched like any other when that time is over. */
  @Test
  void handler_thatHangsBehindItsExtension_isCut(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              context.extendTimeout(Duration.ofMillis(800));
              context.transaction().execute("DO SLEEP(30)");
            },
            SHORT.withLongestTimeout(Duration.ofMinutes(1)))) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void handler_ofABindingWithoutTheSetting_isRefused(QueueDatabase database) {
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        Orders.handledBy(
            database, (order, context) -> context.extendTimeout(Duration.ofSeconds(1)), SHORT)) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
    }
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("withLongestTimeout()");
  }

  @Test
  void handler_ofABatch_extendsItForAll(QueueDatabase database) {
    Orders.enqueueAll(database, 5);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bindBatch(
                "order",
                deliveries -> {
                  deliveries
                      .get(deliveries.size() - 1)
                      .context()
                      .extendTimeout(Duration.ofSeconds(20));
                  TimeUnit.MILLISECONDS.sleep(1_500);
                  deliveries.forEach(one -> Orders.write(one.payload(), one.context()));
                },
                SHORT.withLongestTimeout(Duration.ofMinutes(1))))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.HANDLED)).isEqualTo(5);
  }

  /** A drain's deadline is the operator's. */
  @Test
  void drain_endsAHandlerThatHasExtended(QueueDatabase database) throws Exception {
    Orders.enqueue(database, 1);
    CountDownLatch extended = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              context.extendTimeout(Duration.ofMinutes(5));
              extended.countDown();
              new CountDownLatch(1).await();
            },
            SHORT.withLongestTimeout(Duration.ofMinutes(10)))) {
      assertThat(extended.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.worker().drain(Duration.ofMillis(200))).isFalse();
      Await.until(
          "given back, no attempt counted",
          Orders.SOON,
          () -> database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"),
          rows -> rows.equals(java.util.List.of("0 0")));
    }
  }
}
