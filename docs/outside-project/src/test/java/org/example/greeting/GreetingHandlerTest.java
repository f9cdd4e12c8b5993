package org.example.greeting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.inject.Guice;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class GreetingHandlerTest {

  @Test
  void greeting_requested_isWritten(QueueDatabase database) {
    database.execute("CREATE TABLE greeting (text VARCHAR(200) NOT NULL)");
    MessageProducer.create()
        .enqueue(database.dataSource(), NewMessage.of("greeting.requested", new Greeting("Ada")));
    WorkerModule worker = new WorkerModule(WorkerConfig.defaults(database.config()));
    try (Worker running =
        Guice.createInjector(worker, new GreetingModule()).getInstance(Worker.class)) {
      running.start();
      Await.until(
          "the message is gone",
          Duration.ofSeconds(20),
          () -> database.count("SELECT COUNT(*) FROM queue_message"),
          left -> left == 0);
    }
    assertEquals(List.of("Hello, Ada"), database.strings("SELECT text FROM greeting"));
  }
}
