package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.Rate;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OwnThreads.class)
@QueueTest
class RunOnceIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final MessageProducer producer = MessageProducer.create();

  private static List<NewMessage> orders(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList();
  }

  @Test
  void runOnce_handlesWhatIsAvailableAndWhatThatEnqueues(QueueDatabase database) {
    producer.enqueueAll(database.dataSource(), orders(50));
    producer.enqueue(
        database.dataSource(),
        NewMessage.of("order", new Order(99)).withDelay(Duration.ofHours(1)));
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (order.number() < 5) {
                    producer.enqueue(
                        context.connection(),
                        NewMessage.of("order", new Order(100 + order.number())));
                  }
                }));
    assertThat(worker.worker().runOnce()).isEqualTo(55);
    assertThat(database.strings("SELECT state FROM queue_message")).containsExactly("2");
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    awaitNoThreads();
    assertThatThrownBy(worker.worker()::runOnce).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void runOnce_withARate_waitsForItAndHandlesAll(QueueDatabase database) {
    producer.enqueueAll(database.dataSource(), orders(10));
    Rate slow = new Rate(20, Duration.ofSeconds(1));
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config.withClaims(config.claims().withRate(new Topic("order"), slow)),
            Handlers.bind("order", (order, context) -> {}));
    assertThat(worker.worker().runOnce()).isEqualTo(10);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  @Test
  void runOnce_keyedMessagesThatTheServerAdmitsNone_fails(QueueDatabase database) {
    producer.enqueue(
        database.dataSource(), NewMessage.of("order", new Order(1)).withOrderingKey("key"));
    TestWorker worker =
        TestWorker.create(
            database, config -> config, Handlers.bind("order", (order, context) -> {}));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_message", "OLD.topic = 'order'")) {
      assertThatThrownBy(worker.worker()::runOnce).hasMessageContaining("not today");
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isOne();
  }

  @Test
  void runOnce_failedMessage_isCountedAndItsRetryIsNotWaitedFor(QueueDatabase database) {
    producer.enqueueAll(database.dataSource(), orders(3));
    HandlerSettings settings =
        HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofHours(1)));
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  throw new IllegalStateException("not today");
                },
                settings));
    assertThat(worker.worker().runOnce()).isEqualTo(3);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE attempts = 1"))
        .isEqualTo(3);
  }

  @Test
  void start_handlerThatCannotBeMade_saysWhichAndLeavesNothingOpen(QueueDatabase database) {
    TestWorker worker = TestWorker.create(database, config -> config, new Unmakeable());
    assertThatThrownBy(worker.worker()::start)
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("topic 'order'")
        .hasMessageContaining("SHOP_KEY is not set");
    worker.close();
    awaitNoThreads();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void start_payloadTypeThatTheCodecRefuses_saysWhichAndHandlesNothing(QueueDatabase database) {
    PayloadCodec refusing =
        new PayloadCodec() {
          @Override
          public void check(Type type) {
            throw new PayloadException(type.getTypeName() + " has a foreign annotation");
          }

          @Override
          public byte[] encode(Object payload) {
            throw new AssertionError();
          }

          @Override
          public Object decode(byte[] payload, Type type) {
            throw new AssertionError();
          }
        };
    producer.enqueueAll(database.dataSource(), orders(1));
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order", (order, context) -> {}, HandlerSettings.defaults().withCodec(refusing)));
    assertThatThrownBy(worker.worker()::start)
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("topic 'order'")
        .hasMessageContaining("Order has a foreign annotation");
    worker.close();
    assertThat(database.strings("SELECT CONCAT(state, ' ', claim_number) FROM queue_message"))
        .containsExactly("0 0");
  }

  @Test
  void close_workerThatNeverStarted_leavesNothingOpen(QueueDatabase database) {
    TestWorker worker =
        TestWorker.create(database, config -> config, Handlers.bind("order", (o, c) -> {}));
    worker.get(ClaimStore.class).promote(1);
    assertThat(threadsOfWorkers()).isNotEmpty();
    worker.close();
    awaitNoThreads();
  }

  /** A stop must reach a handling that was still being prepared when the others were stopped. */
  @Test
  void drain_handlingThatIsStillPrepared_isGivenBackWhenItBegins(QueueDatabase database) {
    producer.enqueueAll(database.dataSource(), orders(1));
    CountDownLatch decoding = new CountDownLatch(1);
    CountDownLatch drained = new CountDownLatch(1);
    HandlerSettings settings =
        HandlerSettings.defaults().withCodec(new SlowCodec(decoding, drained));
    try (TestWorker worker =
        Orders.handledBy(database, (order, context) -> new CountDownLatch(1).await(), settings)) {
      Await.that("it is decoded", SOON, () -> decoding.getCount() == 0);
      assertThat(worker.worker().drain(Duration.ZERO)).isFalse();
      drained.countDown();
      Await.until(
          "it is given back",
          SOON,
          () -> database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"),
          row -> row.equals(List.of("0 0")));
    }
    assertThat(database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"))
        .containsExactly("0 0");
  }

  private record SlowCodec(CountDownLatch decoding, CountDownLatch drained)
      implements PayloadCodec {
    @Override
    public byte[] encode(Object payload) {
      return PayloadCodec.json().encode(payload);
    }

    @Override
    public Object decode(byte[] payload, Type type) {
      decoding.countDown();
      Uninterruptibles.awaitUninterruptibly(drained);
      return PayloadCodec.json().decode(payload, type);
    }
  }

  /** They carry a worker's names; a pool that was closed lets its housekeeper end by itself. */
  private void awaitNoThreads() {
    Await.until("no thread of a worker", SOON, this::threadsOfWorkers, List::isEmpty);
  }

  private List<String> threadsOfWorkers() {
    return OwnThreads.living().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("queue-") || name.startsWith("rowqueue-"))
        .toList();
  }

  private static final class Unmakeable extends AbstractModule {
    @Override
    protected void configure() {
      Key<MessageHandler<Order>> key = Key.get(new TypeLiteral<MessageHandler<Order>>() {});
      Provider<MessageHandler<Order>> provider =
          () -> {
            throw new IllegalStateException("SHOP_KEY is not set");
          };
      bind(key).toProvider(provider);
      HandlerBinder.bind(binder(), "order", key, HandlerSettings.defaults());
    }
  }
}
