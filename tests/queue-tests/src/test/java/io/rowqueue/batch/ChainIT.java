package io.rowqueue.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.DuplicateMessageException;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Batches;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ChainIT {

  private static final String CHAINS = "SELECT COUNT(*) FROM queue_chain";
  private static final String STEPS = "SELECT COUNT(*) FROM queue_chain_step";

  private final QueueDatabase database;
  private final ChainProducer producer = ChainProducer.over(MessageProducer.create());
  private final Transactions transactions;
  private final List<String> seen = new CopyOnWriteArrayList<>();

  ChainIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  private static NewMessage step(String topic, int number) {
    return NewMessage.of(topic, new Order(number));
  }

  private static Chain three() {
    return Chain.of(step("fetch", 1)).then(step("resize", 2)).then(step("publish", 3));
  }

  private Module handlers(MessageHandler<Order> resize, HandlerSettings settings) {
    MessageHandler<Order> note =
        (order, context) -> {
          seen.add(context.topic() + " " + context.headers());
          context.carry("from", context.topic().name());
        };
    return Modules.combine(
        Handlers.bind("fetch", note, settings),
        Handlers.bind(
            "resize",
            (order, context) -> {
              note.handle(order, context);
              resize.handle(order, context);
            },
            settings),
        Handlers.bind("publish", note, settings));
  }

  private void assertEnded() {
    Orders.awaitCount(database, CHAINS, 0);
    assertThat(database.count(STEPS)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  private void run(HandlerSettings settings) {
    producer.enqueue(database.dataSource(), three().named("images"));
    try (TestWorker worker =
        TestWorker.start(database, handlers((order, context) -> {}, settings))) {
      assertEnded();
    }
    assertThat(seen).containsExactly("fetch {}", "resize {from=fetch}", "publish {from=resize}");
  }

  @Test
  void transactional_goesStepByStep() {
    run(HandlerSettings.defaults());
  }

  @Test
  void sharedCommit_goesStepByStep() {
    run(HandlerSettings.defaults().withSharedCommit());
  }

  @Test
  void withoutTransaction_goesStepByStep() {
    run(HandlerSettings.defaults().withoutTransaction());
  }

  @Test
  void failedAttempt_followsNothing_andItsRetryDoes() {
    AtomicBoolean failed = new AtomicBoolean();
    producer.enqueue(database.dataSource(), three());
    try (TestWorker worker =
        TestWorker.start(
            database,
            handlers(
                (order, context) -> {
                  if (failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("once");
                  }
                },
                HandlerSettings.defaults()))) {
      assertEnded();
    }
    assertThat(seen).filteredOn(one -> one.startsWith("publish")).hasSize(1);
  }

  @Test
  void memberOfABatch_cancelled_isCounted() {
    MessageBatch batch = openBatch();
    producer.add(database.dataSource(), batch, three());
    Batches batches = Batches.of(transactions);
    assertThat(batches.cancel(batch.id())).isOne();
    assertEnded();
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(1, 0, 0, 1));
    assertThat(batches.find(batch.id()).orElseThrow().completedAt()).isNotNull();
  }

  private MessageBatch openBatch() {
    return BatchProducer.over(MessageProducer.create())
        .open(database.dataSource(), BatchSettings.defaults());
  }

  @Test
  void refusals_leaveNothing() {
    NewMessage keyed = step("fetch", 1).withDeduplication(Deduplication.whileAlive("k"));
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> Chain.of(step("fetch", 1)).then(keyed))
        .withMessageContaining("deduplication key");
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> Chain.of(keyed).then(step("t", 1).withDueAt(Instant.EPOCH)))
        .withMessageContaining("give it a delay");
    MessageProducer.create().enqueue(database.dataSource(), keyed);
    assertThatExceptionOfType(DuplicateMessageException.class)
        .isThrownBy(() -> producer.enqueue(database.dataSource(), Chain.of(keyed)));
    assertThat(database.count(CHAINS)).isZero();
  }
}
