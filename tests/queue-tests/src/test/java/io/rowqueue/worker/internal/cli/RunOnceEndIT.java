package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.multibindings.Multibinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.poll.Claimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a single run ends that does not end by itself, and a start that fails. */
@ExtendWith(OwnThreads.class)
@QueueTest
class RunOnceEndIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  private static final String ROWS =
      "SELECT CONCAT(topic, ' ', state, ' ', attempts) FROM queue_message ORDER BY id";

  private final BlockingHandler<Order> blocking = new BlockingHandler<>();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  private TestWorker blocked(QueueDatabase database) {
    return TestWorker.create(
        database,
        config -> config.withThreads(1).withHandlers(config.handlers().withMaxAttempts(1)),
        Handlers.bind("order", blocking),
        Handlers.bind("refused", Orders::write));
  }

  /** A run on a thread of its own. */
  private static final class Run {
    private final CompletableFuture<Integer> attempts =
        new CompletableFuture<Integer>().orTimeout(60, TimeUnit.SECONDS);
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private final Thread thread;

    Run(TestWorker worker) {
      thread =
          new Thread(
              () -> {
                try {
                  int count = worker.worker().runOnce();
                  interrupted.set(Thread.interrupted());
                  attempts.complete(count);
                } catch (Throwable e) {
                  attempts.completeExceptionally(e);
                }
              });
      thread.start();
    }
  }

  /** The thread whose handler ends then gets no other message. */
  private static void awaitNoMoreClaims(TestWorker worker) {
    Await.that("it claims no more", SOON, worker.get(Claimer.class)::hasEnded);
  }

  private static void assertNothingClaimed(QueueDatabase database) {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void runOnce_claimThatIsRefused_interruptsNoHandlerAndFailsAtTheEnd(QueueDatabase database)
      throws Exception {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('refused', '{\"number\":1}')");
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    TestWorker worker = blocked(database);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_message", "OLD.topic = 'refused'")) {
      Run run = new Run(worker);
      blocking.awaitEntered(1, SOON);
      Await.that(
          "it waits for the handler",
          SOON,
          () -> run.attempts.isDone() || run.thread.getState() == Thread.State.TIMED_WAITING);
      blocking.release();
      assertThatThrownBy(run.attempts::join).hasMessageContaining("not today");
    }
    assertThat(database.strings(ROWS)).containsExactly("refused 0 0");
    assertThat(database.count(Orders.DEAD)).isZero();
    assertNothingClaimed(database);
  }

  /** In one transaction with a message that is accepted, and alone. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void runOnce_promotionThatIsRefused_handlesTheOthersAndFails(int state, QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, due_at) VALUES ('refused',"
            + " '{\"number\":1}', 2, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR), ('order',"
            + " '{\"number\":2}', "
            + state
            + ", UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
    TestWorker worker =
        TestWorker.create(database, config -> config, Handlers.bind("order", Orders::write));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_message", "OLD.topic = 'refused'")) {
      assertThatThrownBy(worker.worker()::runOnce).hasMessageContaining("not today");
    }
    assertThat(database.count(Orders.HANDLED)).isOne();
    assertThat(database.strings(ROWS)).containsExactly("refused 2 0");
    assertNothingClaimed(database);
  }

  /** Without another worker it would stay claimed for ever. */
  @Test
  void runOnce_settlementThatIsRefused_leavesNothingClaimed(QueueDatabase database) {
    Orders.enqueue(database, 1);
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order", (order, context) -> {}, HandlerSettings.defaults().withoutTransaction()));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.topic = 'order'")) {
      worker.worker().runOnce();
    }
    assertNothingClaimed(database);
    database.execute("DELETE FROM queue_message");
  }

  @Test
  void runOnce_interruptOfItsCaller_endsItAsADrainDoes(QueueDatabase database) throws Exception {
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    TestWorker worker = blocked(database);
    Run run = new Run(worker);
    blocking.awaitEntered(1, SOON);
    run.thread.interrupt();
    awaitNoMoreClaims(worker);
    blocking.releaseOne();
    assertThat(run.attempts.join()).isOne();
    assertThat(run.interrupted).isTrue();
    assertThat(database.strings(ROWS)).containsExactly("order 0 0");
    assertNothingClaimed(database);
  }

  @Test
  void runOnce_drainByAnotherThread_endsIt(QueueDatabase database) throws Exception {
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    TestWorker worker = blocked(database);
    Run run = new Run(worker);
    blocking.awaitEntered(1, SOON);
    CompletableFuture<Boolean> drained =
        CompletableFuture.supplyAsync(() -> worker.worker().drain(SOON));
    awaitNoMoreClaims(worker);
    blocking.releaseOne();
    assertThat(drained.join()).isTrue();
    assertThat(run.attempts.join()).isOne();
    assertThat(database.strings(ROWS)).containsExactly("order 0 0");
    assertNothingClaimed(database);
  }

  @Test
  void runOnce_drainRequestedByAnOperator_endsIt(QueueDatabase database) throws Exception {
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    TestWorker worker = blocked(database);
    Run run = new Run(worker);
    blocking.awaitEntered(1, SOON);
    database.execute("UPDATE queue_worker SET draining = 1");
    awaitNoMoreClaims(worker);
    blocking.releaseOne();
    assertThat(run.attempts.join()).isOne();
    assertThat(database.strings(ROWS)).containsExactly("order 0 0");
    assertNothingClaimed(database);
  }

  @Test
  void runOnce_afterADrain_claimsNothing(QueueDatabase database) {
    Orders.enqueue(database, 1);
    TestWorker worker =
        TestWorker.create(database, config -> config, Handlers.bind("order", Orders::write));
    worker.worker().drain(Duration.ZERO);
    assertThat(worker.worker().runOnce()).isZero();
    assertThat(database.strings(ROWS)).containsExactly("order 0 0");
    assertNothingClaimed(database);
    database.execute("DELETE FROM queue_message");
  }

  @Test
  void start_serviceThatFails_hasClaimedNothing(QueueDatabase database) {
    Claiming claiming = new Claiming();
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind("order", Orders::write),
            binder ->
                Multibinder.newSetBinder(binder, WorkerService.class)
                    .addBinding()
                    .toInstance(claiming));
    assertThatThrownBy(worker.worker()::start).hasMessage("the service fails");
    assertThat(claiming.claimers).isEmpty();
    assertNothingClaimed(database);
  }

  /** Fails after it has looked for the thread that claims. */
  private static final class Claiming implements WorkerService {
    private final List<String> claimers = new ArrayList<>();

    @Override
    public void running() {
      OwnThreads.living().stream()
          .map(Thread::getName)
          .filter(name -> name.startsWith("queue-claimer"))
          .forEach(claimers::add);
      throw new IllegalStateException("the service fails");
    }
  }
}
