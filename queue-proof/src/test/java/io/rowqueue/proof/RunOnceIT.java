package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.TypeLiteral;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerConfigurationException;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.RetryPolicy;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A worker that handles what there is, and ends; and what is left of one that cannot begin. */
@QueueTest
class RunOnceIT {

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
                        context.transaction(),
                        NewMessage.of("order", new Order(100 + order.number())));
                  }
                }));
    assertThat(worker.worker().runOnce()).isEqualTo(55);
    assertThat(database.strings("SELECT state FROM queue_message")).containsExactly("2");
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    assertThat(threadsOfWorkers()).isEmpty();
    assertThatThrownBy(worker.worker()::runOnce).isInstanceOf(IllegalStateException.class);
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
    assertThat(threadsOfWorkers()).isEmpty();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  /** Threads and pools of a worker carry its names. */
  private static List<String> threadsOfWorkers() {
    return Thread.getAllStackTraces().keySet().stream()
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
