package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.FakeBatch;
import io.rowqueue.testkit.FakeContext;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class BatchSnippetsIT {

  record Part(int number) {}

  /** Reads one part of an import, and enqueues a message for each of its lines. */
  static final class ReadPart implements MessageHandler<Part> {

    @Override
    public void handle(Part part, HandlerContext context) {
      List<NewMessage> lines =
          List.of(NewMessage.of("import.line", "7;blue"), NewMessage.of("import.line", "8;red"));
      context.batch().add(lines);
    }
  }

  @Test
  void batch_isEnqueuedAndMembersAdd(QueueDatabase database) throws SQLException {
    List<NewMessage> parts = List.of(NewMessage.of("import.part", new Part(1)));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      // snippet: batch-enqueue
      BatchProducer batches = BatchProducer.over(MessageProducer.create());
      BatchSettings settings =
          BatchSettings.named("import 17").completingWith(NewMessage.of("import.done", 17));
      MessageBatch batch = batches.open(connection, settings);
      batches.add(connection, batch, parts); // as often as there is more, also later
      batches.close(
          connection, batch); // or batches.enqueue(connection, settings, parts) for it all
      connection.commit();
      // end snippet
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE batch_id > 0")).isOne();
    FakeBatch batch = new FakeBatch(1);
    new ReadPart().handle(new Part(1), FakeContext.aContext().withBatch(batch));
    assertThat(batch.added()).hasSize(2);
  }

  @Test
  void chain_keepsItsSteps(QueueDatabase database) throws SQLException {
    NewMessage fetch = NewMessage.of("image.fetch", "https://example.org/a.png");
    NewMessage resize = NewMessage.of("image.resize", 400);
    NewMessage publish = NewMessage.of("image.publish", "a");
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      // snippet: chain
      ChainProducer.over(MessageProducer.create())
          .enqueue(
              connection,
              Chain.of(fetch).then(resize).then(publish.withDelay(Duration.ofMinutes(5))));
      connection.commit();
      // end snippet
    }
    assertThat(database.strings("SELECT topic FROM queue_chain_step ORDER BY step"))
        .containsExactly("image.resize", "image.publish");
  }
}
