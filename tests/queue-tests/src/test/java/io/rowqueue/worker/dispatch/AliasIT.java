package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A topic under its new and its former name. */
@QueueTest
class AliasIT {

  private static final HandlerSettings FORMERLY =
      HandlerSettings.defaults().withFormerTopics("former");

  private final MessageProducer producer = MessageProducer.create();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  private void enqueue(QueueDatabase database, int from, int to) {
    producer.enqueueAll(
        database.dataSource(),
        IntStream.range(from, to)
            .mapToObj(i -> NewMessage.of(i % 2 == 0 ? "order" : "former", new Order(i)))
            .toList());
  }

  @Test
  void messages_underBothNames_areHandledByOneHandler(QueueDatabase database) {
    enqueue(database, 0, 100);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Module handler =
        Handlers.bind(
            "order",
            (order, context) -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              assertThat(context.binding()).isEqualTo(new Topic("order"));
              String topic = order.number() % 2 == 0 ? "order" : "former";
              assertThat(context.topic()).isEqualTo(new Topic(topic));
              Orders.write(order, context);
              running.decrementAndGet();
            },
            FORMERLY.withMaxThreads(1));
    try (TestWorker worker = TestWorker.start(database, config -> config, handler)) {
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, 100, Set.of());
    assertThat(most).as("at once, of both names").hasValue(1);
  }

  @Test
  void worker_ofTheNewNameOnly_claimsTheFormerOne(QueueDatabase database) {
    enqueue(database, 0, 10);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withTopics(Set.of(new Topic("order"))),
            Handlers.bind("order", Orders::write, FORMERLY))) {
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, 10, Set.of());
  }
}
