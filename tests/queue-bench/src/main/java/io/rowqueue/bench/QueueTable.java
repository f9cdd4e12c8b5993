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
import java.util.Random;
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

  /**
   * Tells when a table has no rows any more, over one connection and not often: an answer passes
   * all rows that are deleted and not yet purged.
   */
  static final class EmptyTable {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int LONGEST_MINUTES = 10;

    private EmptyTable() {}

    /**
     * Returns as soon as no row is left in {@code table}.
     *
     * @throws IllegalStateException if that takes minutes
     */
    public static void await(QueueDatabase database, String table) throws SQLException {
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        while (hasRow(statement, table)) {
          if (System.nanoTime() > deadline) {
            throw new IllegalStateException("rows stay in " + table);
          }
          LockSupport.parkNanos(LOOK_NANOS);
        }
      }
    }

    private static boolean hasRow(Statement statement, String table) throws SQLException {
      try (ResultSet row = statement.executeQuery("SELECT 1 FROM " + table + " LIMIT 1")) {
        return row.next();
      }
    }
  }

  /**
   * Payloads that shrink as records of real life do: names that recur, and numbers that do not.
   *
   * @param texts some that differ, made once
   */
  record Records(List<String> texts) implements IntFunction<NewMessage> {

    private static final int DIFFERENT = 64;

    /** Of about {@code bytes} each, the same in every run. */
    static Records of(int bytes) {
      return new Records(
          IntStream.range(0, DIFFERENT).mapToObj(number -> text(number, bytes)).toList());
    }

    private static String text(int number, int bytes) {
      Random random = new Random(number);
      StringBuilder text = new StringBuilder();
      while (text.length() < bytes) {
        text.append(
            "article: %08x, quantity: %d, price: %d.%02d EUR, shelf: %c%d; "
                .formatted(
                    random.nextInt(),
                    1 + random.nextInt(20),
                    random.nextInt(1_000),
                    random.nextInt(100),
                    'A' + random.nextInt(26),
                    random.nextInt(100)));
      }
      return text.substring(0, bytes);
    }

    @Override
    public NewMessage apply(int number) {
      return NewMessage.of(QueueTable.TOPIC, new Work(number, texts.get(number % DIFFERENT)));
    }
  }
}
