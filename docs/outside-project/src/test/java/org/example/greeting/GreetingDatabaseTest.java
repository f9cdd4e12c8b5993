package org.example.greeting;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.NewMessage;
import io.rowqueue.testkit.InlineProducer;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestQueue;
import io.rowqueue.testkit.TestWorker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest(GreetingModule.class)
class GreetingDatabaseTest {

  @BeforeEach
  void table(QueueDatabase database) {
    database.execute(
        "DROP TABLE IF EXISTS greeting", "CREATE TABLE greeting (text VARCHAR(200) NOT NULL)");
  }

  @Test
  void greeting_inline_isWritten(QueueDatabase database, InlineProducer producer) {
    producer.enqueue(
        database.dataSource(), NewMessage.of("greeting.requested", new Greeting("Ada")));
    assertThat(database.strings("SELECT text FROM greeting")).containsExactly("Hello, Ada");
  }

  @Test
  void greeting_byAWorker_isWritten(QueueDatabase database, TestQueue queue, TestWorker worker) {
    queue.enqueue("greeting.requested", new Greeting("Ada"));
    worker.drain();
    assertThat(queue).isEmpty().hasNoDeadLetters();
    assertThat(database.strings("SELECT text FROM greeting")).containsExactly("Hello, Ada");
  }
}
