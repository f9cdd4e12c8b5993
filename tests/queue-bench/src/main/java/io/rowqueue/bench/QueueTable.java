package io.rowqueue.bench;

import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** RowQueue's table, which the floors use as well, so that rows and keys are the same. */
final class QueueTable {

  static final String TOPIC = "bench";

  private static final int CHUNK = 10_000;

  /** Makes 200 bytes of JSON, with the number. */
  private static final String FILLER = "x".repeat(170);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LONGEST_MINUTES = 10;

  final QueueDatabase database;

  private final MessageProducer producer;
  private final IntFunction<NewMessage> message;

  QueueTable(QueueDatabase database) {
    this(database, TOPIC);
  }

  /** For messages of another topic. */
  QueueTable(QueueDatabase database, String topic) {
    this(database, number -> NewMessage.of(topic, Work.of(number)));
  }

  /** For what {@code message} makes of numbers. */
  QueueTable(QueueDatabase database, IntFunction<NewMessage> message) {
    this(database, MessageProducer.create(), message);
  }

  /** The same, enqueued by {@code producer}. */
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

  /** Ten rows, from which the server makes millions by joining them with themselves. */
  static void makeDigits(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS digit (d INT PRIMARY KEY)",
        "INSERT IGNORE INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
  }

  /**
   * Returns as soon as no row is left in {@code table}. Polls over one connection and not often: an
   * answer passes all rows that are deleted and not yet purged.
   *
   * @throws IllegalStateException if that takes minutes
   */
  static void awaitEmpty(QueueDatabase database, String table) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      while (hasRow(statement, table)) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("rows stay in " + table);
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  static boolean hasRow(Statement statement, String table) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT 1 FROM " + table + " LIMIT 1")) {
      return row.next();
    }
  }
}
