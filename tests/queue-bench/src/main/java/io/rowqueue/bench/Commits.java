package io.rowqueue.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Transactions that put messages into the queue, one each unless it is told otherwise, on several
 * threads, over a pool as a team has one.
 */
final class Commits implements Contender {

  private final String name;
  private final Way way;
  private final HikariDataSource pool;
  private final One one;

  private Commits(String name, Way way, One one) {
    this.name = name;
    this.way = way;
    this.pool = Bare.pool(way.database, way.threads);
    this.one = one;
  }

  /**
   * How transactions are made.
   *
   * @param threads how many make them at once
   * @param each how many messages each has
   */
  public record Way(QueueDatabase database, int threads, int each) {}

  /** Those of {@code one}. */
  public static Contender of(String name, Way way, One one) {
    return new Commits(name, way, one);
  }

  /** Those of {@code producer}, with what {@code message} makes of numbers. */
  public static Contender of(
      String name, Way way, MessageProducer producer, IntFunction<NewMessage> message) {
    return of(
        name,
        way,
        (pool, number) ->
            producer.enqueueAll(
                pool, IntStream.range(number, number + way.each).mapToObj(message).toList()));
  }

  /** The floor: INSERT and COMMIT of bytes that are ready. */
  static Contender floor(QueueDatabase database, int threads, Payloads payloads) {
    return new Commits(
        "floor: INSERT, COMMIT",
        new Way(database, threads, 1),
        (pool, number) -> {
          try (Connection connection = pool.getConnection();
              PreparedStatement insert =
                  connection.prepareStatement(
                      "INSERT INTO queue_message (topic, payload) VALUES (?, ?)")) {
            insert.setString(1, Payloads.TOPIC);
            insert.setBytes(2, payloads.bytes());
            insert.executeUpdate();
            connection.commit();
          }
        });
  }

  /** RowQueue in the caller's transaction, which nobody rings for. */
  static Contender producer(QueueDatabase database, int threads, Payloads payloads) {
    MessageProducer producer = MessageProducer.create();
    return new Commits(
        "RowQueue, in the caller's transaction",
        new Way(database, threads, 1),
        (pool, number) -> {
          try (Connection connection = pool.getConnection()) {
            producer.enqueue(connection, payloads.message());
            connection.commit();
          }
        });
  }

  /** RowQueue in a transaction of its own, and the ring after it. */
  static Contender ringing(QueueDatabase database, int threads, Payloads payloads) {
    MessageProducer producer = MessageProducer.create();
    return new Commits(
        "RowQueue, its own transaction and the ring",
        new Way(database, threads, 1),
        (pool, number) -> producer.enqueue(pool, payloads.message()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Effort round(Meter meter, int messages) throws Exception {
    AtomicInteger next = new AtomicInteger();
    int all = messages / way.each * way.each;
    try {
      Mark from = meter.mark();
      Threads.run(
          way.threads,
          () -> {
            int number = next.getAndAdd(way.each);
            while (number < all) {
              one.commit(pool, number);
              number = next.getAndAdd(way.each);
            }
            return true;
          });
      return meter.since(from, all);
    } finally {
      way.database.execute("DELETE FROM queue_message");
    }
  }

  @Override
  public void close() {
    pool.close();
  }

  /** A transaction. */
  @FunctionalInterface
  public interface One {

    /** Enqueues the messages from {@code number} on, and commits. */
    void commit(DataSource pool, int number) throws SQLException;
  }

  /** The same payload for everybody: as an object, and as the bytes that it becomes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Payloads(Text text, byte[] bytes) {

    static final String TOPIC = "bench";

    /** What is enqueued. */
    record Text(String text) {}

    /** One whose JSON has {@code size} bytes. */
    static Payloads of(int size) {
      Text text = new Text("x".repeat(size - "{\"text\":\"\"}".length()));
      try {
        return new Payloads(text, new ObjectMapper().writeValueAsBytes(text));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(e);
      }
    }

    /** A message with it. */
    NewMessage message() {
      return NewMessage.of(TOPIC, text);
    }

    /** So many of them. */
    List<NewMessage> messages(int count) {
      return Collections.nCopies(count, message());
    }
  }
}
