package io.rowqueue.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.google.inject.util.Modules;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.FoundBatch;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members that add members, batches within batches, and batches that are cancelled. */
@QueueTest
class MemberAddsIT {

  private static final String COMPLETE =
      "SELECT COUNT(*) FROM queue_batch WHERE completed_at IS NOT NULL";

  private static final HandlerSettings ALONE = HandlerSettings.defaults();

  private final QueueDatabase database;
  private final BatchProducer producer = BatchProducer.over(MessageProducer.create());
  private final Batches batches;

  MemberAddsIT(QueueDatabase database) {
    this.database = database;
    this.batches = Batches.of(Transactions.on(database.dataSource()));
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  private static List<NewMessage> orders(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> NewMessage.of("order", new Order(i)))
        .toList();
  }

  private MessageBatch enqueue(int count) {
    return producer.enqueue(
        database.dataSource(),
        BatchSettings.defaults().completingWith(NewMessage.of("done", 1)),
        orders(0, count));
  }

  /** Each number n below 10 adds the numbers from 10 n + 10 to 10 n + 19. */
  private static void fanOut(Order order, HandlerContext context) {
    assertThat(context.isMember()).isTrue();
    if (order.number() < 10) {
      context.batch().add(orders(order.number() * 10 + 10, 10));
    }
  }

  private void handleUntilComplete(
      MessageHandler<Order> handler, HandlerSettings settings, int complete) {
    try (TestWorker worker = Orders.handledBy(database, handler, settings)) {
      Orders.awaitCount(database, COMPLETE, complete);
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'order'"))
          .isZero();
    }
  }

  private void assertFannedOut(MessageBatch batch) {
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(110, 110, 0, 0));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'done'")).isOne();
  }

  @Test
  void transactional_addsByItsAck() {
    MessageBatch batch = enqueue(10);
    handleUntilComplete(
        (order, context) -> {
          Orders.write(order, context);
          fanOut(order, context);
        },
        ALONE,
        1);
    assertFannedOut(batch);
    assertThat(database.count(Orders.HANDLED)).isEqualTo(110);
  }

  @Test
  void sharedCommit_addsByItsAck() {
    MessageBatch batch = enqueue(10);
    handleUntilComplete(MemberAddsIT::fanOut, ALONE.withSharedCommit(), 1);
    assertFannedOut(batch);
  }

  @Test
  void withoutTransaction_addsByItsAck() {
    MessageBatch batch = enqueue(10);
    handleUntilComplete(MemberAddsIT::fanOut, ALONE.withoutTransaction(), 1);
    assertFannedOut(batch);
  }

  @Test
  void batchHandler_addsByItsAck() {
    MessageBatch batch = enqueue(10);
    try (TestWorker worker =
        TestWorker.start(
            database,
            Handlers.bindBatch(
                "order",
                deliveries -> deliveries.forEach(one -> fanOut(one.payload(), one.context())),
                ALONE))) {
      Orders.awaitCount(database, COMPLETE, 1);
    }
    assertFannedOut(batch);
  }

  @Test
  void failedHandling_addsNothing() {
    MessageBatch batch = enqueue(3);
    AtomicInteger calls = new AtomicInteger();
    handleUntilComplete(
        (order, context) -> {
          if (order.number() == 0) {
            context.batch().add(NewMessage.of("order", new Order(7)));
            if (calls.incrementAndGet() < 3) {
              throw new IllegalStateException("not yet");
            }
          }
        },
        ALONE,
        1);
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(4, 4, 0, 0));
  }

  /** Whoever leaves the promise adds nothing, and is counted as the dead letter that he becomes. */
  @Test
  void handlerThatLeavesItsTransaction_addsNothing() {
    MessageBatch batch = enqueue(1);
    handleUntilComplete(
        (order, context) -> {
          context.batch().add(orders(5, 3));
          context.transaction().execute("COMMIT");
        },
        ALONE,
        1);
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(1, 0, 1, 0));
  }

  @Test
  void many_goRoundTheLeaves() {
    MessageBatch batch = enqueue(200);
    handleUntilComplete(
        (order, context) -> {
          if (order.number() == 0) {
            context.batch().add(orders(1_000, 300));
          }
        },
        ALONE.withSharedCommit(),
        1);
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(500, 500, 0, 0));
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_batch_leaf WHERE total > 12 AND acked > 12"))
        .isEqualTo(16);
  }

  @Test
  void refusals_sayWhatToDo() {
    MessageBatch batch = enqueue(1);
    NewMessage large = NewMessage.of("order", new byte[4 << 20]);
    handleUntilComplete(
        (order, context) -> {
          assertThatExceptionOfType(InvalidMessageException.class)
              .isThrownBy(() -> context.batch().add(NewMessage.of("t", 1).withOrderingKey("k")))
              .withMessageContaining("neither an ordering key");
          assertThatExceptionOfType(InvalidMessageException.class)
              .isThrownBy(() -> context.batch().add(List.of(large, large, large, large)))
              .withMessageContaining("at most 16 MiB");
        },
        ALONE,
        1);
    assertThat(batches.progress(batch.id()).acked()).isOne();
    Orders.enqueue(database, 2);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              assertThat(context.isMember()).isFalse();
              assertThatIllegalStateException().isThrownBy(context::batch);
              context.carry("without", "effect");
              Orders.write(order, context);
            })) {
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
  }

  /** The child's completion message is the parent's member, and adds the last one. */
  @Test
  void nested_completesFromTheInside() {
    MessageBatch batch = enqueue(2);
    BatchSettings inner =
        BatchSettings.named("inner").completingWith(NewMessage.of("inner.done", 1));
    MessageHandler<Order> outer =
        (order, context) -> {
          if (order.number() < 2) {
            context.batch().addBatch(inner, orders(10 * order.number() + 10, 5));
            context.batch().addBatch(BatchSettings.defaults(), orders(100, 3));
            context.batch().addBatch(BatchSettings.defaults(), List.of());
          }
        };
    try (TestWorker worker =
        TestWorker.start(
            database,
            Modules.combine(
                Handlers.bind("order", outer, ALONE),
                io.rowqueue.testkit.LambdaHandlers.bind(
                    "inner.done",
                    Integer.class,
                    (one, context) -> {
                      assertThat(context.headers().get("rowqueue-batch-counts"))
                          .isEqualTo("total=5 done=5 failed=0 cancelled=0");
                      context.batch().add(orders(50, 1));
                    })))) {
      Orders.awaitCount(database, COMPLETE, 7);
    }
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(10, 10, 0, 0));
    assertThat(batches.list(true, Long.MAX_VALUE, 10))
        .filteredOn(found -> Objects.equals(found.parent(), batch.id()))
        .hasSize(6)
        .allMatch(found -> found.completedAt() != null);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'done'")).isOne();
  }

  @Test
  void cancel_takesOutWhatHasNotStarted() throws Exception {
    MessageBatch batch = enqueue(500);
    database.execute(
        "UPDATE queue_message SET state = 2, due_at = UTC_TIMESTAMP(6) + INTERVAL 1"
            + " DAY WHERE id % 2 = 0");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              if (order.number() < 500) {
                context.batch().addBatch(BatchSettings.named("inner"), orders(1_000, 3));
              }
              begun.countDown();
              cancelled.await();
            })) {
      begun.await();
      int out = batches.cancel(batch.id());
      // The worker's maintenance cancels members, too, as soon as the batch is flagged.
      assertThat(out).isLessThan(500);
      FoundBatch found = batches.find(batch.id()).orElseThrow();
      assertThat(found.cancelled()).isTrue();
      assertThat(found.completedAt()).isNull();
      cancelled.countDown();
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_batch WHERE completed_at IS NULL", 0);
    }
    BatchCounts counts = batches.progress(batch.id());
    assertThat(counts.left()).isZero();
    assertThat(counts.cancelled()).isGreaterThanOrEqualTo(250);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'done'")).isOne();
  }

  @Test
  void recount_findsWhatWasDeletedAndInsertedByHand() {
    MessageBatch batch = enqueue(10);
    database.execute("DELETE FROM queue_message WHERE id % 2 = 0");
    assertThat(batches.recount(batch.id())).isEqualTo(new BatchCounts(10, 0, 0, 5));
    assertThat(batches.recount(batch.id())).isEqualTo(new BatchCounts(10, 0, 0, 5));
    database.execute(
        "INSERT INTO queue_message (topic, payload, batch_id) VALUES ('order', '{\"number\":1}', "
            + batch.id() * 64
            + ")");
    assertThat(batches.recount(batch.id())).isEqualTo(new BatchCounts(11, 0, 0, 5));
    handleUntilComplete((order, context) -> {}, ALONE, 1);
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(11, 6, 0, 5));
  }

  @Test
  void recount_leavesAChainThatStandsStill_asItWasCounted() {
    MessageBatch batch = producer.open(database.dataSource(), BatchSettings.defaults());
    ChainProducer.over(MessageProducer.create())
        .add(
            database.dataSource(),
            batch,
            Chain.of(NewMessage.of("order", new Order(1))).then(NewMessage.of("done", 1)));
    MessageHandler<Order> refusing =
        (order, context) -> {
          throw new PermanentFailure("no such article");
        };
    try (TestWorker worker = Orders.handledBy(database, refusing, ALONE)) {
      Orders.awaitDeadLetter(database);
    }
    assertThat(batches.recount(batch.id())).isEqualTo(new BatchCounts(1, 0, 1, 0));
    batches.seal(batch.id());
    assertThat(database.count("SELECT COUNT(*) FROM queue_batch WHERE completed_at IS NULL"))
        .isZero();
  }

  @Test
  void recount_ofNothingLeft_completes() {
    MessageBatch batch = enqueue(10);
    database.execute("DELETE FROM queue_message");
    assertThat(batches.recount(batch.id())).isEqualTo(new BatchCounts(10, 0, 0, 10));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'done'")).isOne();
  }
}
