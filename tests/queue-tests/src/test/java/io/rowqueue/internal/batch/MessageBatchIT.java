package io.rowqueue.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.util.Modules;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.Isolation;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class MessageBatchIT {

  private static final String COMPLETION =
      "SELECT CONCAT(JSON_UNQUOTE(JSON_EXTRACT(headers, '$.\"rowqueue-batch\"')), ': ',"
          + " JSON_UNQUOTE(JSON_EXTRACT(headers, '$.\"rowqueue-batch-counts\"'))) FROM"
          + " queue_message WHERE topic = 'done'";

  private static final BatchSettings IMPORT =
      BatchSettings.named("import").completingWith(NewMessage.of("done", "the import"));

  private static final String COMPLETE =
      "SELECT COUNT(*) FROM queue_batch WHERE completed_at IS NOT NULL";

  private static final HandlerSettings ALONE = HandlerSettings.defaults();

  private final QueueDatabase database;
  private final BatchProducer producer = BatchProducer.over(MessageProducer.create());
  private final Batches batches;

  MessageBatchIT(QueueDatabase database) {
    this.database = database;
    this.batches = QueueOperations.of(database.dataSource()).batches();
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
    database.execute("DELETE FROM queue_batch", "DELETE FROM queue_batch_shard");
  }

  private static List<NewMessage> orders(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList();
  }

  private MessageBatch enqueue(BatchSettings settings, int count) {
    return producer.enqueue(database.dataSource(), settings, orders(count));
  }

  private void awaitCompletion(MessageBatch batch, String counts) {
    Await.until(
        "the batch completes",
        Orders.SOON,
        () -> database.strings(COMPLETION),
        found -> found.equals(List.of(batch.id() + ": " + counts)));
    assertThat(batches.find(batch.id()).orElseThrow().completedAt()).isNotNull();
    assertThat(database.count("SELECT SUM(open_members) FROM queue_batch_shard")).isZero();
  }

  private void handle(HandlerSettings settings) {
    handle(Orders::write, settings);
  }

  private void handle(io.rowqueue.handler.MessageHandler<Order> handler, HandlerSettings settings) {
    try (TestWorker worker = Orders.handledBy(database, handler, settings)) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message WHERE topic = 'order'", 0);
    }
  }

  @Test
  void sharedCommit_countsEach_alsoWhereOneFailsInBetween() {
    MessageBatch batch = enqueue(IMPORT, 60);
    Map<Integer, Boolean> failed = new ConcurrentHashMap<>();
    handle(
        (order, context) -> {
          if (order.number() % 20 == 7 && failed.put(order.number(), true) == null) {
            throw new IllegalStateException("once");
          }
          Orders.write(order, context);
        },
        HandlerSettings.defaults().withSharedCommit());
    awaitCompletion(batch, "total=60 done=60 failed=0 cancelled=0");
    Orders.assertHandled(database, 60, java.util.Set.of());
  }

  /** The first of its nested batches, of its chains, or of its members is refused. */
  @ParameterizedTest
  @CsvSource({
    "UPDATE, queue_batch, id",
    "DELETE, queue_chain_step, chain_id",
    "DELETE, queue_message, id"
  })
  void cancel_ofWhichAPartIsRefused_cancelsAllOthers(String what, String table, String column) {
    MessageBatch batch = enqueue(IMPORT, 2);
    long shard = CounterShard.of(batch.id(), 0);
    for (int i = 0; i < 2; i++) {
      MessageBatch inner = enqueue(BatchSettings.named("inner"), 1);
      database.execute(
          "UPDATE queue_batch SET parent_shard = %d WHERE id = %d".formatted(shard, inner.id()));
      ChainProducer.over(MessageProducer.create())
          .enqueue(database.dataSource(), Chain.of(orders(1).get(0)).then(orders(1).get(0)));
    }
    database.execute(
        "UPDATE queue_chain SET batch_id = " + shard,
        "UPDATE queue_batch_shard SET total = total + 4, open_members = open_members + 4 WHERE id ="
            + " "
            + shard);
    long refused =
        database.count(
            "SELECT MIN(%s) FROM %s WHERE %1$s <> %d".formatted(column, table, batch.id()));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, what + " ON " + table, "OLD." + column + " = " + refused)) {
      if (table.equals("queue_message")) {
        assertThat(batches.cancel(batch.id())).isEqualTo(5);
      } else {
        assertThatThrownBy(() -> batches.cancel(batch.id())).hasMessageContaining("not today");
      }
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'order'")).isOne();
  }

  /** So many that the first sweep gives up. */
  @Test
  void cancel_ofMembersOfWhichTenAreRefused_cancelsTheOthersLater() {
    MessageBatch batch = enqueue(IMPORT, 12);
    long tenth = database.count("SELECT id FROM queue_message ORDER BY id LIMIT 9, 1");
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.id <= " + tenth)) {
      assertThatThrownBy(() -> batches.cancel(batch.id())).hasMessageContaining("not today");
      assertThat(batches.cancel(batch.id())).isEqualTo(2);
    }
    assertThat(database.count("SELECT MAX(id) FROM queue_message")).isEqualTo(tenth);
  }

  private static void refuseOne(Order order, HandlerContext context) {
    if (order.number() == 1) {
      throw new PermanentFailure("no");
    }
    Orders.write(order, context);
  }

  private List<MessageId> deadLetters() {
    return QueueOperations.of(database.dataSource())
        .deadLetters()
        .list(new Topic("order"), 100)
        .stream()
        .map(letter -> letter.id())
        .toList();
  }

  @Test
  void discard_ofASettledDeadLetter_changesNothing() {
    MessageBatch batch = enqueue(IMPORT, 2);
    handle(MessageBatchIT::refuseOne, HandlerSettings.defaults());
    QueueOperations.of(database.dataSource()).deadLetters().discardAll(deadLetters());
    awaitCompletion(batch, "total=2 done=1 failed=1 cancelled=0");
  }

  @Test
  void shortGroup_countsOnlyWhoWasHeld() {
    MessageBatch batch = enqueue(IMPORT, 6);
    try (TestWorker worker = TestWorker.create(database, config -> config)) {
      Settler settler = worker.get(Settler.class);
      List<Claim> claims = claim(worker, 6);
      database.execute(
          "UPDATE queue_message SET claim_number = claim_number + 1 WHERE id = "
              + claims.get(2).id());
      assertThat(settler.ackAll(claims)).isEqualTo(5);
      assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(6, 5, 0, 0));
      assertThat(settler.ackAll(claims)).isZero();
      assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(6, 5, 0, 0));
    }
  }

  private static List<Claim> claim(TestWorker worker, int count) {
    List<Claim> claims =
        worker
            .get(ClaimStrategy.class)
            .claim(new ClaimRequest(new Topic("order"), LockId.create("h", 1), count, 3));
    assertThat(claims).hasSize(count);
    return claims;
  }

  @Test
  void cancelClaimed_isCounted() {
    MessageBatch batch = enqueue(IMPORT, 1);
    try (TestWorker worker =
        TestWorker.create(
            database, config -> config, Handlers.bind("order", (order, context) -> {}))) {
      Claim claim = claim(worker, 1).get(0);
      assertThat(worker.get(Settler.class).cancel(claim)).isTrue();
      assertThat(worker.get(Settler.class).cancel(claim)).isFalse();
    }
    awaitCompletion(batch, "total=1 done=0 failed=0 cancelled=1");
  }

  /** And it is nobody's member: the only batch that there is can count nothing. */
  @Test
  void withoutCompletionMessage_endsQuietly() {
    MessageBatch batch = enqueue(BatchSettings.defaults(), 3);
    handle(HandlerSettings.defaults());
    assertThat(batches.find(batch.id()).orElseThrow().completedAt()).isNotNull();
    assertThat(batches.find(batch.id()).orElseThrow().parent()).isNull();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  /** The sum must not be that of the producer's snapshot. */
  @Test
  void seal_inARepeatableRead_countsWhatWasCommittedSince() throws SQLException {
    MessageBatch batch = producer.open(database.dataSource(), IMPORT);
    producer.add(database.dataSource(), batch, orders(20));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      Isolation.set(connection, Connection.TRANSACTION_REPEATABLE_READ);
      try (var statement = connection.createStatement();
          var row = statement.executeQuery("SELECT COUNT(*) FROM queue_batch_shard")) {
        assertThat(row.next()).isTrue();
      }
      handle(HandlerSettings.defaults());
      assertThat(producer.close(connection, batch)).isTrue();
      connection.commit();
    }
    awaitCompletion(batch, "total=20 done=20 failed=0 cancelled=0");
  }

  @Test
  void duplicate_isNoMember() {
    NewMessage once =
        NewMessage.of("order", new Order(1)).withDeduplication(Deduplication.whileAlive("k"));
    MessageProducer.create().enqueue(database.dataSource(), once);
    MessageBatch batch =
        producer.enqueue(
            database.dataSource(), IMPORT, List.of(once, NewMessage.of("order", new Order(2))));
    handle(HandlerSettings.defaults());
    awaitCompletion(batch, "total=1 done=1 failed=0 cancelled=0");
  }

  @Test
  void duplicateThatReplaces_staysTheMemberThatItWas() {
    Deduplication rule = Deduplication.whileWaiting("k").replacing();
    List<NewMessage> messages = new ArrayList<>();
    for (int number = 0; number < 12; number++) {
      NewMessage message = NewMessage.of("order", new Order(number));
      messages.add(number % 11 == 0 ? message.withDeduplication(rule) : message);
    }
    MessageBatch batch = producer.enqueue(database.dataSource(), IMPORT, messages);
    handle(HandlerSettings.defaults());
    awaitCompletion(batch, "total=11 done=11 failed=0 cancelled=0");
  }

  @Test
  void plainSql_adds_asDocumented() {
    MessageBatch batch = producer.open(database.dataSource(), IMPORT);
    long shard = batch.id() * 64;
    database.execute(
        "INSERT INTO queue_message (topic, payload, batch_id) VALUES ('order', '{\"number\":1}', "
            + shard
            + ")",
        "UPDATE queue_batch_shard SET open_members = open_members + 1, total = total + 1,"
            + " first_message = LEAST(COALESCE(first_message, LAST_INSERT_ID()),"
            + " LAST_INSERT_ID()) WHERE id = "
            + shard
            + " AND open_members > 0");
    batches.close(batch.id());
    handle(HandlerSettings.defaults());
    awaitCompletion(batch, "total=1 done=1 failed=0 cancelled=0");
  }

  @Test
  void prune_forgetsWhatWasCompleteForAWeek() {
    MessageBatch old = enqueue(BatchSettings.defaults(), 0);
    MessageBatch young = enqueue(BatchSettings.defaults(), 0);
    MessageBatch running = enqueue(BatchSettings.defaults(), 1);
    database.execute(
        "UPDATE queue_batch SET completed_at = UTC_TIMESTAMP(6) - INTERVAL 8 DAY WHERE id = "
            + old.id());
    assertThat(batches.prune(10)).isOne();
    assertThat(batches.prune(10)).isZero();
    assertThat(batches.find(old.id())).isEmpty();
    assertThat(batches.list(true, Long.MAX_VALUE, 10))
        .extracting(found -> found.batch().id())
        .containsExactly(running.id(), young.id());
    assertThat(batches.list(false, Long.MAX_VALUE, 10)).hasSize(1);
    assertThat(database.count("SELECT COUNT(*) FROM queue_batch_shard")).isEqualTo(2);
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

  private void handleUntilComplete(MessageHandler<Order> handler, HandlerSettings settings) {
    try (TestWorker worker = Orders.handledBy(database, handler, settings)) {
      Orders.awaitCount(database, COMPLETE, 1);
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'order'"))
          .isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void members_ofEachMode_areCounted_andThoseThatTheyAdd(HandlingMode mode) {
    boolean transactional = mode != HandlingMode.WITHOUT_TRANSACTION;
    MessageBatch batch = enqueue(10);
    assertThat(batches.find(batch.id()).orElseThrow().state()).isEqualTo("running");
    MessageHandler<Order> handler =
        (order, context) -> {
          if (transactional) {
            Orders.write(order, context);
          }
          fanOut(order, context);
        };
    try (TestWorker worker =
        TestWorker.start(database, mode.bind("order", Order.class, handler, ALONE))) {
      Orders.awaitCount(database, COMPLETE, 1);
    }
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(110, 110, 0, 0));
    assertThat(batches.find(batch.id()).orElseThrow().state()).isEqualTo("complete");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'done'")).isOne();
    assertThat(database.count(Orders.HANDLED)).isEqualTo(transactional ? 110 : 0);
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
        ALONE);
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
        ALONE);
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
        ALONE.withSharedCommit());
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(500, 500, 0, 0));
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_batch_shard WHERE total > 12 AND acked > 12"))
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
              .withMessageContaining("cannot have an ordering key");
          assertThatExceptionOfType(InvalidMessageException.class)
              .isThrownBy(() -> context.batch().add(List.of(large, large, large, large)))
              .withMessageContaining("at most 16 MiB");
        },
        ALONE);
    assertThat(batches.progress(batch.id()).acked()).isOne();
    Orders.enqueue(database, 2);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              assertThat(context.isMember()).isFalse();
              assertThatIllegalStateException().isThrownBy(context::batch);
              context.putHeaderForNextStep("without", "effect");
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
      BatchDetails found = batches.find(batch.id()).orElseThrow();
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
    handleUntilComplete((order, context) -> {}, ALONE);
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
    batches.close(batch.id());
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
