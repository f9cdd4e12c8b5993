package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Deduplication;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QueueTest
class DeduplicationSnippetsIT {

  @Test
  void keys_holdAsLongAsTheySay(QueueDatabase database) {
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    PlaceOrder order = new PlaceOrder("o-7", "ada@example.org", "tea", 1);
    // snippet: deduplication
    NewMessage placed = NewMessage.of("order.place", order);
    // a double click: the second enqueue returns the first's id
    NewMessage once = placed.withDeduplication(Deduplication.within("o-7", Duration.ofHours(24)));
    MessageId first = producer.enqueue(dataSource, once);
    MessageId second = producer.enqueue(dataSource, once);

    // a debounce: what waits takes payload and due time of the last
    NewMessage debounced =
        NewMessage.of("search.index", "{\"doc\":7}")
            .withDelay(Duration.ofSeconds(5))
            .withDeduplication(Deduplication.whileWaiting("doc-7").replacing());
    List<EnqueueResult> offers =
        producer.enqueueAllWithResults(dataSource, List.of(debounced, once));
    // end snippet
    assertThat(second).isEqualTo(first);
    assertThat(offers)
        .extracting(EnqueueResult::outcome)
        .containsExactly(EnqueueResult.Outcome.INSERTED, EnqueueResult.Outcome.DUPLICATE);
    assertThat(producer.enqueueAllWithResults(dataSource, List.of(debounced)).get(0).outcome())
        .isEqualTo(EnqueueResult.Outcome.REPLACED);
  }
}
