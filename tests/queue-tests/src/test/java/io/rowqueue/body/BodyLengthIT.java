package io.rowqueue.body;

import static io.rowqueue.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Messages;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long payloads are that do not lie in their rows, as operators are told. */
@QueueTest
class BodyLengthIT {

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();

  @TempDir private Path folder;

  BodyLengthIT(QueueDatabase database) {
    this.database = database;
  }

  private long bytes(MessageId id) {
    return Messages.of(Transactions.on(database.dataSource())).bytesBeside(id).orElse(-1);
  }

  private MessageId enqueue(MessageProducer by, NewMessage message) {
    return by.enqueue(database.dataSource(), message);
  }

  @Test
  void bytesBeside_ofChunks_isTheirSum() {
    MessageId inRow = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(100)));
    MessageId large = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(40_000)));
    MessageId streamed =
        enqueue(producer, NewMessage.streamed(TOPIC, LargePayloads.source(700_001)));
    assertThat(bytes(inRow)).isEqualTo(-1);
    assertThat(bytes(large)).isEqualTo(40_000);
    assertThat(bytes(streamed)).isEqualTo(700_001);
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason,"
            + " detail, worker, due_at, created_at, dead_at, headers, payload) SELECT id, topic,"
            + " priority, claims, attempts, lost, 'r', 'd', '', due_at, created_at, created_at,"
            + " headers, payload FROM queue_message WHERE id = "
            + large,
        "DELETE FROM queue_message WHERE id = " + large);
    assertThat(bytes(large)).isEqualTo(40_000);
    database.execute("DELETE FROM queue_body WHERE message_id = " + large);
    assertThat(bytes(large)).isEqualTo(-1);
  }

  /** Whose length is known with the row alone: the file is not asked for. */
  @Test
  void bytesBeside_ofAStoredOne_isWhatItsRowSays() {
    MessageProducer storing = producer.storing(FileBodyStore.in(folder), 100_000);
    MessageId stored = enqueue(storing, NewMessage.streamed(TOPIC, LargePayloads.source(300_000)));
    assertThat(bytes(stored)).isEqualTo(300_000);
  }

  /** As of a producer in another language, which cuts as it likes. */
  @Test
  void bytesBeside_ofChunksBySql_countsEach() {
    MessageId id = enqueue(producer, NewMessage.of(TOPIC, LargePayloads.bytes(10)));
    database.execute(
        "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (%1$s, 0, 0, REPEAT('é', 10)),"
                .formatted(id)
            + " (%1$s, 1, 0, ''), (%1$s, 2, 1, 'xyz')".formatted(id));
    assertThat(bytes(id)).isEqualTo(23);
  }
}
