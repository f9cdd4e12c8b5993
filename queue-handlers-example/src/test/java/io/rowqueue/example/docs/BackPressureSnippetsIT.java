package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.BackPressure;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.TopicFullException;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QueueTest
class BackPressureSnippetsIT {

  @Test
  void producers_ofATopicThatIsFull_areToldSo(QueueDatabase database) throws InterruptedException {
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    PlaceOrder order = new PlaceOrder("o-7", "ada@example.org", "tea", 1);
    // snippet: room
    BackPressure backPressure = BackPressure.over(dataSource); // thread-safe; make one and keep it
    MessageProducer refusing = producer.rejectingWhenFull(backPressure);
    MessageProducer waiting = producer.blockingWhenFull(backPressure, Duration.ofSeconds(10));

    waiting.enqueue(dataSource, NewMessage.of("order.place", order)); // in its own transaction
    backPressure.await(new Topic("order.place"), Duration.ofSeconds(10)); // before one of yours
    boolean later = backPressure.isFull(new Topic("order.place")); // or decide yourself
    try {
      refusing.enqueue(dataSource, NewMessage.of("order.place", order));
    } catch (TopicFullException e) {
      later = true; // nothing was sent, and a transaction of yours is as it was
    }
    // end snippet
    assertThat(later).isFalse();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(2);
  }
}
