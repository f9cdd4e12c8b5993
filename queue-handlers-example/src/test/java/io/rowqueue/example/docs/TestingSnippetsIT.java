package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.FailingHandler;
import io.rowqueue.testkit.MessageFixtures;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.RecordingHandler;
import io.rowqueue.testkit.TestQueue;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@QueueTest
class TestingSnippetsIT {

  @Test
  void message_thatFailedOnce_isHandledAgain(QueueDatabase database) {
    MessageProducer.create()
        .enqueue(database.dataSource(), MessageFixtures.aMessage().onTopic("email.send").build());
    RecordingHandler<String> handler =
        new RecordingHandler<>(new FailingHandler<>(1, () -> new IOException("mail is down")));
    try (Worker worker = worker(database, handler)) {
      worker.start();
      assertThat(handler.awaitHandled(2, Duration.ofSeconds(20)).get(1).attempt()).isEqualTo(2);
      Await.until(
          "the message is gone",
          Duration.ofSeconds(20),
          () -> database.count("SELECT COUNT(*) FROM queue_message"),
          left -> left == 0);
    }
  }

  @Test
  void messages_enqueued_areInTheQueue(QueueDatabase database) {
    TestQueue queue = database.queue();
    queue.enqueue("email.send", "Hello");
    queue.enqueue(NewMessage.of("email.send", "Bye").withDelay(Duration.ofMinutes(5)));
    assertThat(queue)
        .hasEnqueued("email.send")
        .times(2)
        .withPayload("Bye")
        .scheduledIn(Duration.ofMinutes(5))
        .once();
    assertThat(queue).hasDepth("email.send", 2).hasInFlight(0).hasNoDeadLetters();
  }

  private static Worker worker(QueueDatabase database, RecordingHandler<String> handler) {
    Key<RecordingHandler<String>> key = Key.get(new TypeLiteral<>() {});
    var handlers =
        new AbstractModule() {
          @Override
          protected void configure() {
            bind(key).toInstance(handler);
            HandlerBinder.bind(
                binder(),
                "email.send",
                key,
                HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ZERO)));
          }
        };
    var worker = new WorkerModule(WorkerConfig.defaults(database.config()));
    return Guice.createInjector(worker, handlers).getInstance(Worker.class);
  }
}
