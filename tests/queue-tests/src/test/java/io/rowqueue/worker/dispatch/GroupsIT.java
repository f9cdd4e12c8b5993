package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What may be handled, committed or acked together, and how acks are. */
@QueueTest
class GroupsIT {

  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();

  private final CommitCounter acks = CommitCounter.ofAcks();

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
        "a batch shares its commit by itself");
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
