package io.rowqueue.bench;

import io.rowqueue.bench.Commits.Payloads;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** How fast messages get into the queue: ten thousand in one transaction, and one by one. */
final class Enqueue {

  private static final int BULK = 10_000;
  private static final int SMALL = 200;
  private static final int LARGE = 10_240;
  private static final int MOST_ROWS = 1_000;
  private static final int MOST_BYTES = 1 << 20;

  private Enqueue() {}

  static void run(Stage stage) throws Exception {
    bulk(stage, SMALL, "200 B");
    bulk(stage, LARGE, "10 KB");
    for (int threads : new int[] {1, 4, 16}) {
      commits(stage, threads);
    }
  }

  private static void bulk(Stage stage, int size, String words) throws Exception {
    Payloads payloads = Payloads.of(size);
    MessageProducer producer = MessageProducer.create();
    int rows = Math.min(MOST_ROWS, MOST_BYTES / payloads.bytes().length);
    Contender floor =
        new Bulk(
            "floor: INSERT of %,d rows".formatted(rows),
            stage.database(),
            (connection, messages) -> {
              for (int left = messages; left > 0; left -= rows) {
                insert(connection, payloads, Math.min(left, rows));
              }
            });
    Contender ours =
        new Bulk(
            "RowQueue, enqueueAll",
            stage.database(),
            (connection, messages) ->
                producer.enqueueAll(connection, Collections.nCopies(messages, payloads.message())));
    Standing end =
        stage.contest(
            "%,d messages of %s in one transaction".formatted(BULK, words),
            stage.messages(BULK),
            floor,
            ours);
    stage.chart("enqueue-" + size, end.chart());
    stage.atLeast(words + " in bulk: rate to the floor", end.rate(ours, floor), 0.85);
  }

  private static void insert(Connection connection, Payloads payloads, int rows)
      throws SQLException {
    String sql =
        "INSERT INTO queue_message (topic, payload) VALUES "
            + String.join(",", Collections.nCopies(rows, "(?,?)"));
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int row = 0; row < rows; row++) {
        insert.setString(2 * row + 1, Payloads.TOPIC);
        insert.setBytes(2 * row + 2, payloads.bytes());
      }
      insert.executeUpdate();
    }
  }

  /** All messages of a round in one transaction. */
  private record Bulk(String name, QueueDatabase database, Insert insert) implements Contender {

    @Override
    public Effort round(Meter meter, int messages) throws SQLException {
      try (Connection connection = Bare.connect(database)) {
        Mark from = meter.mark();
        insert.into(connection, messages);
        connection.commit();
        return meter.since(from, messages);
      } finally {
        database.execute("DELETE FROM queue_message");
      }
    }

    private interface Insert {
      void into(Connection connection, int messages) throws SQLException;
    }
  }

  /** With a worker that listens and claims nothing, since its topic is paused. */
  private static void commits(Stage stage, int threads) throws Exception {
    Payloads payloads = Payloads.of(SMALL);
    NewMessage message = payloads.message();
    MessageProducer producer = MessageProducer.create();
    Commits.Calls calls = new Commits.Calls(stage.database(), threads, 1);
    Contender floor =
        Commits.of(
            "floor: INSERT, COMMIT",
            calls,
            (pool, number) -> {
              try (Connection connection = pool.getConnection()) {
                insert(connection, payloads, 1);
                connection.commit();
              }
            });
    Contender ours =
        Commits.of(
            "RowQueue, in the caller's transaction",
            calls,
            (pool, number) -> {
              try (Connection connection = pool.getConnection()) {
                producer.enqueue(connection, message);
                connection.commit();
              }
            });
    Contender notifying =
        Commits.of(
            "RowQueue, its own transaction and the ring",
            calls,
            (pool, number) -> producer.enqueue(pool, message));
    try (Worker listening = listener(stage)) {
      Standing end =
          stage.contest(
              "a commit each, %d threads".formatted(threads),
              stage.messages(20_000),
              floor,
              ours,
              notifying);
      stage.chart("enqueue-commits-" + threads, end.chart());
      for (Contender one : List.of(ours, notifying)) {
        stage.atLeast(
            "%s, %d threads: rate to the floor".formatted(one.name(), threads),
            end.rate(one, floor),
            0.90);
      }
    }
  }

  private static Worker listener(Stage stage) {
    Topics.of(Transactions.on(stage.database().dataSource())).pause(new Topic(Payloads.TOPIC));
    return Bindings.start(
        stage.database().url(),
        List.of(
            LambdaHandlers.bind(
                Payloads.TOPIC,
                Payloads.Text.class,
                (text, context) -> {
                  throw new IllegalStateException("the topic is paused");
                })));
  }

  /** Where a message's id comes from, with 16 producers that commit each message. */
  static void ids(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Standing end =
        stage.contest(
            "ids, 16 producers, a commit each",
            stage.messages(10_000),
            new Inserts(database, "AUTO_INCREMENT", "", "", false),
            new Inserts(database, "UUID_SHORT()", "id, ", "UUID_SHORT(), ", false),
            new Inserts(database, "time-ordered, from the producer", "id, ", "?, ", true));
    stage.chart("ids", end.chart());
  }

  /** Into a copy of the queue's table, with all its keys. */
  private record Inserts(
      QueueDatabase database, String name, String column, String value, boolean bound)
      implements Contender {
    private static final byte[] PAYLOAD = Payloads.of(SMALL).bytes();

    /** Below the milliseconds of a time-ordered id: a number that goes round. */
    private static final int NUMBER_BITS = 20;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @Override
    public Effort round(Meter meter, int messages) throws Exception {
      database.execute(
          "DROP TABLE IF EXISTS ids",
          "CREATE TABLE ids LIKE queue_message",
          column.isEmpty() ? "DO 0" : "ALTER TABLE ids MODIFY id BIGINT NOT NULL");
      AtomicInteger next = new AtomicInteger();
      Mark from = meter.mark();
      Threads.run(16, () -> insertAll(next, messages));
      return meter.since(from, messages);
    }

    private void insertAll(AtomicInteger next, int messages) throws SQLException {
      String sql =
          "INSERT INTO ids (" + column + "topic, payload) VALUES (" + value + "'bench', ?)";
      try (Connection connection = Bare.connect(database);
          PreparedStatement insert = connection.prepareStatement(sql)) {
        while (next.getAndIncrement() < messages) {
          if (bound) {
            insert.setLong(1, timeOrdered());
          }
          insert.setBytes(bound ? 2 : 1, PAYLOAD);
          insert.executeUpdate();
          connection.commit();
        }
      }
    }

    private static long timeOrdered() {
      return System.currentTimeMillis() << NUMBER_BITS
          | (NUMBER.getAndIncrement() & ((1 << NUMBER_BITS) - 1));
    }
  }
}
