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
import java.sql.SQLException;
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
  private final Calls calls;
  private final HikariDataSource pool;
  private final One one;

  private Commits(String name, Calls calls, One one) {
    this.name = name;
    this.calls = calls;
    this.pool = Bare.pool(calls.database, calls.threads);
    this.one = one;
  }

  /**
   * How transactions are made.
   *
   * @param threads how many make them at once
   * @param each how many messages each has
   */
  record Calls(QueueDatabase database, int threads, int each) {}

  /** Those of {@code one}. */
  static Contender of(String name, Calls calls, One one) {
    return new Commits(name, calls, one);
  }

  /** Those of {@code producer}, with what {@code message} makes of numbers. */
  static Contender of(
      String name, Calls calls, MessageProducer producer, IntFunction<NewMessage> message) {
    return of(
        name,
        calls,
        (pool, number) ->
            producer.enqueueAll(
                pool, IntStream.range(number, number + calls.each).mapToObj(message).toList()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Effort round(Meter meter, int messages) throws Exception {
    AtomicInteger next = new AtomicInteger();
    int all = messages / calls.each * calls.each;
    try {
      Mark from = meter.mark();
      Threads.run(
          calls.threads,
          () -> {
            int number = next.getAndAdd(calls.each);
            while (number < all) {
              one.commit(pool, number);
              number = next.getAndAdd(calls.each);
            }
          });
      return meter.since(from, all);
    } finally {
      calls.database.execute("DELETE FROM queue_message");
    }
  }

  @Override
  public void close() {
    pool.close();
  }

  /** A transaction. */
  @FunctionalInterface
  interface One {

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
  }
}
