package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.multibindings.Multibinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.WorkerObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What handlers do to the threads that handle. */
@ExtendWith(OwnThreads.class)
@QueueTest
class HandlerThreadsIT {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  /** A timer of the handler's own, or of its HTTP client, that comes too late. */
  @Test
  void interrupts_betweenMessages_leaveAllThreadsHandling(QueueDatabase database) {
    Set<Thread> used = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(2),
            Handlers.bind(
                "order",
                (order, context) -> {
                  used.add(Thread.currentThread());
                  Orders.write(order, context);
                }))) {
      for (int round = 0; round < 10; round++) {
        Orders.enqueue(database, round);
        Orders.awaitNoneLeft(database);
        used.forEach(Thread::interrupt);
      }
      assertThat(worker.get(Dispatcher.class).threads()).isEqualTo(2);
    }
    assertThat(used).hasSizeLessThanOrEqualTo(2);
    Orders.assertHandled(database, 10, Set.of());
  }

  /** Every thread of the worker's: whatever interrupts it, only the worker's stop ends it. */
  @Test
  void interrupts_ofAllThreads_leaveThemAllAlive(QueueDatabase database) {
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(2),
            Handlers.bind("order", Orders::write),
            Handlers.bind(
                "outside",
                (order, context) -> {},
                HandlerSettings.defaults().withoutTransaction()))) {
      Set<String> before = longLived();
      for (int round = 0; round < 5; round++) {
        OwnThreads.living().stream()
            .filter(thread -> thread.getName().startsWith("queue-"))
            .forEach(Thread::interrupt);
        Orders.enqueue(database, round);
        database.execute(
            "INSERT INTO queue_message (topic, payload) VALUES ('outside', '{\"number\": 1}')");
        Orders.awaitNoneLeft(database);
      }
      assertThat(longLived()).containsAll(before);
    }
    Orders.assertHandled(database, 5, Set.of());
  }

  private static Set<String> longLived() {
    return OwnThreads.living().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("queue-"))
        .filter(name -> !name.startsWith("queue-cut"))
        .collect(java.util.stream.Collectors.toSet());
  }

  @Tag("ci")
  @Test
  void handlers_thatIgnoreInterrupts_takeABoundedNumberOfThreads(QueueDatabase database) {
    CountDownLatch end = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(2).withShutdownTimeout(Duration.ZERO),
            Handlers.bind(
                "order",
                (order, context) -> Orders.awaitDeaf(end),
                HandlerSettings.defaults().withTimeout(Duration.ofMillis(100)).withMaxAttempts(1)),
            Handlers.bind("film", (film, context) -> {}))) {
      Dispatcher dispatcher = worker.get(Dispatcher.class);
      for (int number = 0; number < 10; number++) {
        Orders.enqueue(database, number);
      }
      Await.that("the worker is exhausted", LONGEST, dispatcher::isExhausted);
      Await.until("each thread is abandoned", LONGEST, dispatcher::abandoned, count -> count == 4);
      assertThat(dispatcher.capacity()).as("claims that no thread would take").isZero();
      assertThat(handlerThreads()).isLessThanOrEqualTo(4);
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1", 0);
      assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter"))
          .isEqualTo(dispatcher.abandoned());
      end.countDown();
      Await.until("the threads are back", LONGEST, dispatcher::threads, threads -> threads == 2);
      Orders.awaitNoneLeft(database);
      assertThat(dispatcher.isExhausted()).isFalse();
    }
  }

  private static long handlerThreads() {
    return OwnThreads.living().stream()
        .filter(thread -> thread.getName().startsWith("queue-handler-"))
        .count();
  }

  /** What is in flight for ever, reconciliation releases never. */
  @Test
  void takeOver_thatFails_leavesNoClaimInFlight(QueueDatabase database) {
    CountDownLatch end = new CountDownLatch(1);
    WorkerObserver failing =
        new WorkerObserver() {
          @Override
          public void settled(Claim claim, Outcome outcome) {
            throw new IllegalStateException("an observer failed");
          }
        };
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1).withShutdownTimeout(Duration.ZERO),
            binder ->
                Multibinder.newSetBinder(binder, WorkerObserver.class)
                    .addBinding()
                    .toInstance(failing),
            Handlers.bind(
                "order",
                (order, context) -> Orders.awaitDeaf(end),
                HandlerSettings.defaults()
                    .withTimeout(Duration.ofMillis(100))
                    .withMaxAttempts(1)))) {
      Orders.enqueue(database, 1);
      Orders.awaitCount(database, Orders.DEAD, 1);
      Await.that("no claim is held", LONGEST, () -> worker.get(Dispatcher.class).held() == 0);
      end.countDown();
    }
  }

  /** The row goes before the worker waits for what does not end. */
  @Test
  void stop_whileAHandlerIgnoresInterrupts_endsTheLease(QueueDatabase database) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Orders.enqueue(database, 1);
    TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withShutdownTimeout(Duration.ZERO),
            Handlers.bind(
                "order",
                (order, context) -> {
                  begun.countDown();
                  Orders.awaitDeaf(end);
                }));
    try {
      begun.await();
      worker.close();
      assertThat(database.count("SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1")).isZero();
    } finally {
      end.countDown();
    }
  }
}
