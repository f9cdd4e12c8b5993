package io.rowqueue.internal.cancel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OwnThreads.class)
@QueueTest
class CancelRunningIT {

  private static final String CANCEL_REQUESTS = "SELECT COUNT(*) FROM queue_cancel_request";
  private static final String CLAIMED = "SELECT COUNT(*) FROM queue_message WHERE state = 1";

  private final QueueDatabase database;
  private final Messages messages;

  CancelRunningIT(QueueDatabase database) {
    this.database = database;
    this.messages = QueueOperations.of(database.dataSource()).messages();
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
    database.execute("DELETE FROM queue_cancel_request");
  }

  @Test
  void handler_thatHeeds_endsTheMessageAndItsWritesAreRolledBack() throws Exception {
    MessageId id = Orders.enqueue(database, 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch seen = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              begun.countDown();
              awaitCancelRequest(context);
              seen.await();
              throw new CancelMessage("stopped half-way");
            })) {
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(messages.requestCancel(id, "ada")).isEqualTo(CancelOutcome.REQUESTED);
      CancelRequest request = messages.find(id).cancelRequest();
      assertThat(Objects.requireNonNull(request).requestedBy()).isEqualTo("ada");
      seen.countDown();
      Orders.awaitNoneLeft(database);
    }
    assertEndedOnce(0);
  }

  /** What it did stays, and the request is deleted. */
  @Test
  void handler_thatReturns_hasWon() throws Exception {
    cancelled(HandlerSettings.defaults(), (order, context) -> awaitCancelRequest(context));
    assertEndedOnce(1);
  }

  /** It would have been tried again. */
  @Test
  void handler_thatFails_isNotRetried() throws Exception {
    cancelled(
        HandlerSettings.defaults(),
        (order, context) -> {
          awaitCancelRequest(context);
          throw new IllegalStateException("broken off");
        });
    assertEndedOnce(0);
  }

  @Test
  void requests_oneOfWhichTheServerRefuses_cancelAllOthers() {
    List<MessageId> ids = IntStream.range(0, 3).mapToObj(i -> Orders.enqueue(database, i)).toList();
    database.execute(
        "UPDATE queue_message SET state = 1, lock_id = 'other', claim_number = 1",
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('other', 'other', 1, 1, UTC_TIMESTAMP(6) + INTERVAL"
            + " 1 HOUR, 'v', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
    ids.forEach(id -> messages.requestCancel(id, "ada"));
    database.execute("UPDATE queue_message SET state = 2, lock_id = '', due_at = '2100-01-01'");
    try (RefusingTrigger refusal =
            RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.id = " + ids.get(0));
        TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 1);
    }
    database.execute("DELETE FROM queue_message", "DELETE FROM queue_worker");
  }

  /** No message vanishes by a handler's mistake. */
  @Test
  void handler_thatCancelsUnasked_makesADeadLetter() {
    Orders.enqueue(database, 1);
    Orders.assertDies(
        database,
        "permanent-failure",
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              throw new CancelMessage("by mistake");
            }));
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void handler_thatCannotAsk_isInterrupted() throws Exception {
    cancelled(
        HandlerSettings.defaults().withCancelByInterrupt(),
        (order, context) -> new CountDownLatch(1).await());
    assertEndedOnce(0);
  }

  /** It ignores interrupts, and its statement is cut. */
  @Test
  void handler_thatHangsInTheDatabase_isCut() throws Exception {
    cancelled(
        HandlerSettings.defaults().withCancelByInterrupt(),
        (order, context) -> context.transaction().execute("DO SLEEP(60)"));
    assertEndedOnce(0);
  }

  /** Nobody has started the threads, so that all of them wait. */
  @Test
  void messages_thatHaveNotBegun_areCancelledWithout() {
    Orders.enqueueAll(database, 3);
    try (TestWorker worker =
        TestWorker.create(
            database, config -> config, Handlers.bind("order", (order, context) -> {}))) {
      List<Claim> claims =
          worker
              .get(ClaimStrategy.class)
              .claim(new ClaimRequest(new Topic("order"), new LockId("host-1-wish"), 3, 100));
      Dispatcher dispatcher = worker.get(Dispatcher.class);
      dispatcher.dispatch(claims);
      dispatcher.cancel(ClaimKey.of(claims.get(1)), "ada");
      assertThat(dispatcher.known())
          .containsExactlyInAnyOrder(ClaimKey.of(claims.get(0)), ClaimKey.of(claims.get(2)));
      assertThat(dispatcher.takeWaiting(Duration.ZERO)).hasSize(2);
      assertThat(database.count(CLAIMED)).isEqualTo(2);
      worker.get(Settler.class).ackAll(claims);
    }
    assertEndedOnce(0);
  }

  /** The others of its batch are handled, it alone is not. */
  @Test
  void member_ofABatch_isCancelledAlone() throws Exception {
    List<MessageId> ids =
        IntStream.range(0, 4).mapToObj(number -> Orders.enqueue(database, number)).toList();
    CountDownLatch begun = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bindBatch(
                "order",
                deliveries -> {
                  deliveries.forEach(one -> Orders.write(one.payload(), one.context()));
                  deliveries.stream()
                      .filter(one -> one.payload().number() == 1)
                      .forEach(
                          one -> {
                            begun.countDown();
                            awaitCancelRequest(one.context());
                            throw new CancelMessage("one of it is not wanted");
                          });
                },
                HandlerSettings.defaults().withBatchSize(4)))) {
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      messages.requestCancel(ids.get(1), "ada");
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, 4, java.util.Set.of(1));
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count(CANCEL_REQUESTS)).isZero();
  }

  /**
   * Its worker dies after a wish without a name: whoever looks next finds it free, and nobody
   * handles it.
   */
  @Test
  void message_ofAWorkerThatDied_isCancelledOnceItIsReaped() {
    MessageId id = Orders.enqueue(database, 1);
    database.execute(
        "UPDATE queue_message SET state = 1, claim_number = 1, lock_id = 'gone-1-0000000000000'",
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('gone-1-0000000000000', 'gone', 1, 0,"
            + " UTC_TIMESTAMP(6), 'test', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
    assertThat(messages.requestCancel(id, "")).isEqualTo(CancelOutcome.REQUESTED);
    try (CapturedLog log = CapturedLog.of("io.rowqueue.worker.internal.maintain")) {
      Orders.drain(
          database,
          TestWorker.start(
              database,
              config -> config.withLeaseDuration(Duration.ofSeconds(2)),
              Handlers.bind("elsewhere", (order, context) -> {})));
      assertThat(log.messages())
          .contains(
              "message "
                  + id
                  + " is cancelled; an unknown user requested it while the message was claimed");
    }
    assertEndedOnce(0);
  }

  /** Whoever redrives wants it to run, whatever somebody wished before. */
  @Test
  void redrive_withdrawsTheCancelRequest() {
    MessageId id = Orders.enqueue(database, 1);
    Orders.drain(
        database, (order, context) -> Orders.write(order, context), HandlerSettings.defaults());
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, payload) VALUES ("
            + id
            + ", 'elsewhere', 0, 1, 1, 0, 'attempts-exhausted', '', 'w', UTC_TIMESTAMP(6),"
            + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')",
        "INSERT INTO queue_cancel_request (message_id, requested_by) VALUES (" + id + ", 'ada')");
    Transactions transactions = Transactions.on(database.dataSource());
    assertThat(new JooqDeadLetters(transactions).redrive(id)).isTrue();
    assertThat(database.count(CANCEL_REQUESTS)).isZero();
    assertThat(new Cancellations(transactions).apply(id)).as("by a look of before").isFalse();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isOne();
    messages.cancel(id);
  }

  /** Some heed, some return, some wait: every message ends once, and no wish is left. */
  @Test
  void manyWishes_overThreeWorkers_endEachMessageOnce() throws Exception {
    int count = 150;
    Orders.enqueueAll(database, count);
    List<TestWorker> workers =
        IntStream.range(0, 3)
            .mapToObj(
                worker ->
                    Orders.handledBy(
                        database,
                        (order, context) -> {
                          Orders.write(order, context);
                          TimeUnit.MILLISECONDS.sleep(order.number() % 7 * 20L);
                          if (context.isCancelRequested() && order.number() % 2 == 0) {
                            throw new CancelMessage("as asked");
                          }
                        }))
            .toList();
    int cancelled = 0;
    try {
      for (String id : database.strings("SELECT id FROM queue_message ORDER BY id DESC")) {
        cancelled += ask(new MessageId(Long.parseLong(id)));
      }
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, CANCEL_REQUESTS, 0);
    } finally {
      workers.forEach(TestWorker::close);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count("SELECT COUNT(DISTINCT number) FROM handled"))
        .isEqualTo(database.count(Orders.HANDLED))
        .isLessThanOrEqualTo(count - cancelled);
  }

  private int ask(MessageId id) {
    try {
      return messages.requestCancel(id, "ada") == CancelOutcome.CANCELLED ? 1 : 0;
    } catch (RefusedException e) {
      return 0;
    }
  }

  /** Runs {@code handler}, after its write and with a request for its cancellation, to its end. */
  private void cancelled(HandlerSettings settings, MessageHandler<Order> handler) throws Exception {
    MessageId id = Orders.enqueue(database, 1);
    CountDownLatch begun = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              begun.countDown();
              handler.handle(order, context);
            },
            settings)) {
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      messages.requestCancel(id, "ada");
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, CANCEL_REQUESTS, 0);
    }
  }

  private void assertEndedOnce(int effects) {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(database.count(CANCEL_REQUESTS)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
    assertThat(database.count(Orders.HANDLED)).isEqualTo(effects);
  }

  private static void awaitCancelRequest(HandlerContext context) {
    Await.that("somebody wants it cancelled", Orders.SOON, context::isCancelRequested);
  }
}
