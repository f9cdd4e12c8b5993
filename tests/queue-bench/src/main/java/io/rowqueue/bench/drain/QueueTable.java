package io.rowqueue.bench.drain;

import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** RowQueue's table, which the floors use as well, so that rows and keys are the same. */
final class QueueTable {

  static final String TOPIC = "bench";

  private static final int CHUNK = 10_000;

  /** Makes 200 bytes of JSON, with the number. */
  private static final String FILLER = "x".repeat(170);

  /** Where it is. */
  final QueueDatabase database;

  private final MessageProducer producer;
  private final IntFunction<NewMessage> message;

  QueueTable(QueueDatabase database) {
    this(database, TOPIC);
  }

  /** For messages of another topic. */
  QueueTable(QueueDatabase database, String topic) {
    this(database, MessageProducer.create(), number -> NewMessage.of(topic, Work.of(number)));
  }

  /** For what {@code message} makes of numbers. */
  QueueTable(QueueDatabase database, MessageProducer producer, IntFunction<NewMessage> message) {
    this.database = database;
    this.producer = producer;
    this.message = message;
  }

  /** A message as everybody handles it. */
  record Work(int number, String filler) {

    static Work of(int number) {
      return new Work(number, FILLER);
    }
  }

  /** Enqueues so many. */
  void fill(int messages) {
    for (int from = 0; from < messages; from += CHUNK) {
      producer.enqueueAll(
          database.dataSource(),
          IntStream.range(from, Math.min(from + CHUNK, messages)).mapToObj(message).toList());
    }
  }

  /** Enqueues so many as one batch. */
  void fill(int messages, int leaves) {
    BatchProducer.over(MessageProducer.create())
        .enqueue(
            database.dataSource(),
            BatchSettings.defaults().withLeaves(leaves),
            IntStream.range(0, messages).mapToObj(message).toList());
  }

  /** The ids of all messages, in order. */
  List<Long> ids() {
    return database.strings("SELECT id FROM queue_message ORDER BY id").stream()
        .map(Long::valueOf)
        .toList();
  }

  /** Returns as soon as no row is left. */
  void awaitEmpty() throws SQLException {
    EmptyTable.await(database, "queue_message");
  }
}
