package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class BatchIT {

  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();

  private final CommitCounter acks = CommitCounter.ofAcks();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void batch_ofManyMessages_isHandledAndDeletedTogether(QueueDatabase database) {
    Orders.enqueueAll(database, 300);
    ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withThreads(2),
            acks,
            Handlers.bindBatch(
                "order",
                batch -> {
                  sizes.add(batch.size());
                  batch.forEach(each -> Orders.write(each.payload(), each.context()));
                },
                HandlerSettings.defaults().withBatchSize(20))));
    Orders.assertHandled(database, 300, Set.of());
    assertThat(sizes).allMatch(size -> size <= 20).anyMatch(size -> size > 1);
    assertThat(acks.count()).isEqualTo(sizes.size());
  }

  @Test
  void batch_withOneThatCannotBeHandled_onlyThatOnePays(QueueDatabase database) {
    assertOnlySevenPays(
        database,
        batch -> {
          batch.forEach(each -> Orders.write(each.payload(), each.context()));
          if (batch.stream().anyMatch(each -> each.payload().number() == 7)) {
            throw new IllegalStateException("seven");
          }
        });
  }

  @Test
  void batch_withOneThatSwallowsDeadlocks_onlyThatOnePays(QueueDatabase database) {
    assertOnlySevenPays(
        database,
        batch -> {
          for (Delivery<Order> each : batch) {
            Orders.write(each.payload(), each.context());
            if (each.payload().number() == 7) {
              Orders.swallowDeadlock(each.context());
            }
          }
        });
  }

  private static void assertOnlySevenPays(QueueDatabase database, BatchHandler<Order> handler) {
    Orders.enqueueAll(database, 40);
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bindBatch("order", handler, HandlerSettings.defaults())));
    Orders.assertHandled(database, 40, Set.of(7));
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(Orders.deadLetters(database)).containsExactly("7 attempts-exhausted 3");
  }

  @Test
  void batch_withOneLostClaim_isRolledBackAndTheRestIsGivenBackUncounted(QueueDatabase database)
      throws InterruptedException {
    // So many that batches have formed long before the last.
    Orders.enqueueAll(database, 300);
    CountDownLatch stolen = new CountDownLatch(1);
    ConcurrentLinkedQueue<Integer> firstBatch = new ConcurrentLinkedQueue<>();
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bindBatch(
                "order",
                batch -> {
                  batch.forEach(each -> Orders.write(each.payload(), each.context()));
                  if (batch.size() > 1 && stolen.getCount() > 0) {
                    batch.forEach(each -> firstBatch.add(each.payload().number()));
                    Orders.steal(database, batch.get(1).context());
                    stolen.countDown();
                  }
                },
                HandlerSettings.defaults())));
    assertThat(firstBatch).hasSizeGreaterThan(1);
    Orders.assertHandled(database, 300, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  @Test
  void groupedAcks_handlersWithoutTransaction_fewCommitsAndADrainLeavesNone(
      QueueDatabase database) {
    Orders.enqueueAll(database, 3_000);
    Set<Integer> handled = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            acks,
            Handlers.bind(
                "order",
                (order, context) -> handled.add(order.number()),
                HandlerSettings.defaults().withoutTransaction()))) {
      Await.until("half is handled", Orders.SOON, handled::size, size -> size > 1_500);
      worker.worker().drain(Orders.SOON);
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isZero();
      assertThat(database.count("SELECT COUNT(*) FROM queue_message"))
          .isEqualTo(3_000 - handled.size());
      assertThat(acks.count()).isLessThan(handled.size() / 2);
    }
  }

  @Test
  void settings_thatContradictEachOther_areRefusedWhereTheyStand(QueueDatabase database) {
    assertRefused(
        database,
        Handlers.bind("order", (order, context) -> {}, SHARED.withoutTransaction()),
        "there is none to share");
    assertRefused(
        database,
        Handlers.bindBatch("order", batch -> {}, SHARED),
        "a batch shares its commit anyway");
    assertRefused(
        database,
        Handlers.bind("order", (order, context) -> {}, HandlerSettings.defaults().withBatchSize(5)),
        "withBatchSize() is for a BatchHandler");
  }

  private static void assertRefused(QueueDatabase database, Module handlers, String why) {
    assertThatThrownBy(
            () ->
                Guice.createInjector(
                    handlers, new WorkerModule(WorkerConfig.defaults(database.config()))))
        .isInstanceOf(CreationException.class)
        .hasMessageContaining("order")
        .hasMessageContaining(why);
  }
}
