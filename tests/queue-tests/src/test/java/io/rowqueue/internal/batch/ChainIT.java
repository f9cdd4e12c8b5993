package io.rowqueue.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.Batches;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.TestWorker;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  private Module handlers(HandlingMode mode) {
    MessageHandler<Order> note =
        (order, context) -> {
          seen.add(context.topic() + " " + context.headers());
          context.putHeaderForNextStep("from", context.topic().name());
        };
    return Modules.combine(
        Stream.of("fetch", "resize", "publish")
            .map(topic -> mode.bind(topic, Order.class, note, HandlerSettings.defaults()))
            .toList());
  }

  private void assertEnded() {
    Orders.awaitCount(database, CHAINS, 0);
    assertThat(database.count(STEPS)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void chain_ofEachMode_goesStepByStep(HandlingMode mode) {
    producer.enqueue(database.dataSource(), three().named("images"));
    try (TestWorker worker = TestWorker.start(database, handlers(mode))) {
      assertEnded();
    }
    assertThat(seen).containsExactly("fetch {}", "resize {from=fetch}", "publish {from=resize}");
  }

  @Test
  void memberOfABatch_cancelled_isCounted() {
    MessageBatch batch = openBatch();
    producer.add(database.dataSource(), batch, three());
    Batches batches = new JooqBatches(transactions);
    assertThat(batches.cancel(batch.id())).isOne();
    assertEnded();
    assertThat(batches.progress(batch.id())).isEqualTo(new BatchCounts(1, 0, 0, 1));
    assertThat(batches.find(batch.id()).orElseThrow().completedAt()).isNotNull();
  }

  private MessageBatch openBatch() {
    return BatchProducer.over(MessageProducer.create())
        .open(database.dataSource(), BatchSettings.defaults());
  }
}
