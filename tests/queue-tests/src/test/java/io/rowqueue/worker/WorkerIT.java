package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.multibindings.Multibinder;
import io.rowqueue.SchemaException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.RunningWorker;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.poll.Claimer;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class WorkerIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  /** As an application that a handler stops; it would wait for itself. */
  @Test
  void drain_byAHandler_waitsOnlyForOthers(QueueDatabase database) throws Exception {
    CompletableFuture<Worker> stopped = new CompletableFuture<>();
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    CountDownLatch otherEnds = new CountDownLatch(1);
    try (CapturedLog log = CapturedLog.of(RunningWorker.class.getName());
        TestWorker worker =
            TestWorker.start(
                database,
                config -> config,
                Handlers.bind(
                    "stop",
                    (order, context) ->
                        drained.complete(stopped.get().drain(Duration.ofSeconds(Long.MAX_VALUE)))),
                Handlers.bind("order", (order, context) -> otherEnds.await()))) {
      database.queue().enqueue("stop", new Order(0));
      database.queue().enqueue("order", new Order(1));
      Await.that("both run", Orders.SOON, () -> worker.worker().health().busyThreads() == 2);
      stopped.complete(worker.worker());
      Await.that(
          "the handler is named",
          Duration.ofSeconds(20),
          () -> log.messages().toString().contains("own worker"));
      assertThat(drained).isNotDone();
      otherEnds.countDown();
      assertThat(drained.get(20, TimeUnit.SECONDS)).isTrue();
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void close_afterADrainByAHandler_countsNoAttemptOfIt(QueueDatabase database) throws Exception {
    CompletableFuture<Worker> stopped = new CompletableFuture<>();
    CountDownLatch drained = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            Handlers.bind(
                "stop",
                (order, context) -> {
                  stopped.get().drain(Duration.ZERO);
                  drained.countDown();
                  new CountDownLatch(1).await(); // until it is interrupted
                }))) {
      database.queue().enqueue("stop", new Order(0));
      stopped.complete(worker.worker());
      assertThat(drained.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"))
        .containsExactly("0 0");
  }

  @Test
  void drain_withRunningAndWaitingMessages_burnsNoAttempt(QueueDatabase database)
      throws InterruptedException {
    IntStream.range(0, 20).forEach(i -> Orders.enqueue(database, i));
    BlockingHandler<Order> blocking = new BlockingHandler<>();
    try (TestWorker worker = Orders.handledBy(database, blocking)) {
      blocking.awaitEntered(4, Orders.SOON);
      assertThat(worker.worker().drain(Duration.ofMillis(200))).isFalse();
    }
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0 AND attempts = 0"))
        .isEqualTo(20);
  }

  /** A claim that this worker does not know, and a topic. */
  @Test
  void refusals_ofReconciliationAndOfATopic_stopNoOtherTopic(QueueDatabase database) {
    try (RefusingTrigger refusal =
            RefusingTrigger.on(
                database, "UPDATE ON queue_message", "OLD.topic IN ('refused', 'unknown')");
        TestWorker worker =
            TestWorker.start(
                database,
                config ->
                    config
                        .withLeaseDuration(Duration.ofSeconds(3))
                        .withLeaseRenewInterval(Duration.ofMillis(200)),
                Handlers.bind("order", Orders::write),
                Handlers.bind("refused", Orders::write))) {
      database.execute(
          "INSERT INTO queue_message (topic, payload, state, lock_id, claim_number) SELECT"
              + " 'unknown', '1', 1, lock_id, 1 FROM queue_worker",
          "INSERT INTO queue_message (topic, payload) VALUES ('refused', '1'), ('refused', '2')");
      Await.that(
          "the claims of a topic are refused",
          Orders.SOON,
          () -> worker.get(Claimer.class).refusedFor().compareTo(Duration.ofSeconds(2)) > 0);
      Orders.enqueueAll(database, 500);
      Orders.awaitCount(database, Orders.HANDLED, 500);
    }
    database.execute("DELETE FROM queue_message");
  }

  /** Without a brake its effects would be repeated as fast as it can be handled. */
  @Test
  void refusal_ofEverySettlement_slowsTheTopicDownUntilOneSucceeds(QueueDatabase database) {
    Topic order = new Topic("order");
    try (TestWorker worker =
        Orders.handledBy(
            database, (o, context) -> {}, HandlerSettings.defaults().withoutTransaction())) {
      Dispatcher dispatcher = worker.get(Dispatcher.class);
      try (RefusingTrigger refusal =
          RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.topic = 'order'")) {
        Orders.enqueue(database, 1);
        Await.that(
            "nothing more is claimed",
            Orders.SOON,
            () -> dispatcher.capacity(order) == 0 && !dispatcher.refusedFor().isZero());
      }
      worker
          .get(ClaimStore.class)
          .reconcile(Objects.requireNonNull(worker.get(LeaseState.class).holder()), Set.of());
      Orders.awaitNoneLeft(database);
      Await.that(
          "the topic is as fast as before",
          Orders.SOON,
          () -> dispatcher.refusedFor().isZero() && dispatcher.capacity(order) > 1);
    }
  }

  /** Nobody asks the driver before a write, so the session has to be right from the beginning. */
  @Test
  void worker_whereSessionsBeginReadOnly_writes(QueueDatabase database) {
    Orders.enqueue(database, 1);
    String readOnly = database.isMariaDb() ? "tx_read_only" : "transaction_read_only";
    String url = database.url() + "&sessionVariables=" + readOnly + "=1";
    try (TestWorker worker =
        TestWorker.startAt(url, config -> config, Handlers.bind("order", Orders::write))) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
  }

  @Test
  void close_withAServiceThatFails_endsEverythingElse(QueueDatabase database) {
    WorkerPools pools;
    try (TestWorker worker =
        TestWorker.start(
            database,
            binder -> {
              binder.install(Handlers.bind("order", Orders::write));
              Multibinder.newSetBinder(binder, WorkerService.class)
                  .addBinding()
                  .to(FailingService.class);
            })) {
      pools = worker.get(WorkerPools.class);
    }
    assertThat(pools.use()).isEmpty();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  static final class FailingService implements WorkerService {
    @Override
    public void end() {
      throw new IllegalStateException("the service fails");
    }
  }

  @Test
  void start_withTwoHandlersForOneTopic_namesBoth(QueueDatabase database) {
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind("order", Orders::write),
            binder ->
                io.rowqueue.handler.HandlerBinder.bind(binder, "order", RecordingOrders.class));
    assertThatThrownBy(() -> worker.worker().start())
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("topic 'order' has two handlers")
        .hasMessageContaining("RecordingOrders");
  }

  static final class RecordingOrders extends io.rowqueue.testkit.RecordingHandler<Order> {}

  @Test
  void start_onSchemaWithoutTables_saysToMigrate() {
    try (QueueDatabase empty = QueueDatabase.createEmpty()) {
      TestWorker worker =
          TestWorker.create(empty, config -> config, Handlers.bind("order", Orders::write));
      assertThatThrownBy(() -> worker.worker().start())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("migrate");
    }
  }

  @Test
  void start_onNewerSchema_saysToDeployANewerJar(QueueDatabase database) {
    database.execute("INSERT INTO queue_schema (version, oldest_known) VALUES (99, 98)");
    try {
      TestWorker worker =
          TestWorker.create(database, config -> config, Handlers.bind("order", Orders::write));
      assertThatThrownBy(() -> worker.worker().start())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("deploy a newer one");
    } finally {
      database.execute("DELETE FROM queue_schema WHERE version = 99");
    }
  }
}
