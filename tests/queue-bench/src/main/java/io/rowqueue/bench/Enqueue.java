package io.rowqueue.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Enqueue.Commits.HandlerInvoker;
import io.rowqueue.bench.Enqueue.Commits.Payloads;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

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
  }

  /** Single messages, with a COMMIT each. */
  static void singles(Stage stage) throws Exception {
    for (int threads : new int[] {1, 4, 16, 64}) {
      commits(stage, threads);
    }
  }

  private static void bulk(Stage stage, int size, String words) throws Exception {
    Payloads payloads = Payloads.of(size);
    MessageProducer producer = MessageProducer.create();
    int rows = Math.min(MOST_ROWS, MOST_BYTES / payloads.bytes().length);
    Contender baseline =
        new Bulk(
            "baseline: INSERT of %,d rows".formatted(rows),
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
            baseline,
            ours);
    stage.atLeast(words + " in bulk: rate to the baseline", end.rate(ours, baseline), 0.95);
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
    Commits.HandlerInvoker calls = new Commits.HandlerInvoker(stage.database(), threads, 1);
    Contender baseline =
        Commits.autoCommitted(
            "baseline: auto-committed INSERT",
            calls,
            (pool, number) -> {
              try (Connection connection = pool.getConnection()) {
                insert(connection, payloads, 1);
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
    MessageProducer silent = producer.notifying(WorkerNotifier.SILENT);
    Contender own =
        Commits.autoCommitted(
            "RowQueue, with a DataSource", calls, (pool, number) -> silent.enqueue(pool, message));
    Contender notifying =
        Commits.autoCommitted(
            "RowQueue, with a DataSource, worker notified",
            calls,
            (pool, number) -> producer.enqueue(pool, message));
    try (Worker listening = listener(stage)) {
      Standing end =
          stage.contest(
              "a commit each, %d threads".formatted(threads),
              stage.messages(20_000),
              baseline,
              ours,
              own,
              notifying);
      // From 16 threads on, callers share commits.
      double shared = threads < 16 ? 0.95 : threads < 64 ? 2 : 3;
      for (var bar : Map.of(ours, 0.90, own, shared, notifying, 0.90).entrySet()) {
        stage.atLeast(
            "%s, %d threads: rate to the baseline".formatted(bar.getKey().name(), threads),
            end.rate(bar.getKey(), baseline),
            bar.getValue());
      }
    }
  }

  private static Worker listener(Stage stage) {
    QueueOperations.of(stage.database().dataSource()).topics().pause(new Topic(Payloads.TOPIC));
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

  /** Deduplication keys and fan-out, each beside plain enqueues. */
  static final class Producers {

    private static final int TOGETHER = 16;
    private static final NewMessage MESSAGE = Payloads.of(200).message();
    private static final MessageProducer PRODUCER =
        MessageProducer.create().notifying(WorkerNotifier.SILENT);

    private Producers() {}

    /** What a deduplication key costs its producer, whether it is held or not. */
    static void deduplication(Stage stage) throws Exception {
      deduplication(
          stage, "a commit each, 1 producer", 2_000, new HandlerInvoker(stage.database(), 1, 1));
      deduplication(stage, "1,000 a call", 20_000, new HandlerInvoker(stage.database(), 1, 1_000));
      HandlerInvoker together = new HandlerInvoker(stage.database(), TOGETHER, 1);
      deduplication(stage, "a commit each, 16 producers", 6_000, together);
      // Its producers wait for each other's COMMIT.
      show(
          stage,
          "16 producers on 10 keys",
          6_000,
          List.of(
              plain("without keys", together),
              keyed("10 keys", together, Producers::few),
              keyed("10 keys, replacing", together, number -> few(number).replacing())));
    }

    private static void deduplication(Stage stage, String how, int messages, HandlerInvoker calls)
        throws Exception {
      show(
          stage,
          how,
          messages,
          List.of(
              plain("without keys", calls),
              keyed("keys, none held", calls, Producers::each),
              held("keys, all held", calls, Producers::each),
              held("keys, all replacing", calls, number -> each(number).replacing())));
    }

    private static Contender plain(String name, HandlerInvoker calls) {
      return Commits.of(name, calls, PRODUCER, number -> MESSAGE);
    }

    private static Deduplication each(int number) {
      return Deduplication.whileWaiting("key-" + number);
    }

    private static Deduplication few(int number) {
      return each(number % 10);
    }

    private static void show(Stage stage, String how, int messages, List<Contender> contenders)
        throws Exception {
      Standing end = stage.contest("deduplication, " + how, stage.messages(messages), contenders);
      double deadlocks =
          contenders.stream()
              .mapToDouble(each -> end.figures(each, effort -> effort.deadlocks()).max())
              .sum();
      stage.atMost("deduplication, " + how + ": deadlocks", deadlocks, 0);
    }

    private static Contender keyed(
        String name, HandlerInvoker calls, IntFunction<Deduplication> rule) {
      return new Prepared(
          Commits.of(
              name, calls, PRODUCER, number -> MESSAGE.withDeduplication(rule.apply(number))),
          messages -> {},
          messages -> calls.database().execute("DELETE FROM queue_deduplication"));
    }

    /** The same, where others have enqueued before under each key. */
    private static Contender held(
        String name, HandlerInvoker calls, IntFunction<Deduplication> rule) {
      return new Prepared(
          keyed(name, calls, rule),
          messages ->
              PRODUCER.enqueueAll(
                  calls.database().dataSource(),
                  IntStream.range(0, messages)
                      .mapToObj(number -> MESSAGE.withDeduplication(each(number)))
                      .toList()),
          messages -> {});
    }

    /** Publications to several topics, each beside as many enqueues in as many commits. */
    static void fanOut(Stage stage) throws Exception {
      Subscriptions subscriptions =
          QueueOperations.of(stage.database().dataSource()).subscriptions();
      for (int count : new int[] {1, 3, 10}) {
        String source = "source-" + count;
        IntStream.range(0, count)
            .forEach(number -> subscriptions.subscribe(source, source + "-" + number));
        Fan fan = new Fan(MESSAGE.withTopic(new Topic(source)), subscriptions.topics(source));
        fanOut(stage, fan, 10_000, new HandlerInvoker(stage.database(), TOGETHER, count));
        // Copies in a transaction: a number that each number of topics divides.
        fanOut(stage, fan, 30_000, new HandlerInvoker(stage.database(), 1, 990));
      }
    }

    private static void fanOut(Stage stage, Fan fan, int messages, HandlerInvoker calls)
        throws Exception {
      int topics = fan.topics.size();
      String how = calls.threads() == 1 ? "990 copies a call" : "16 publishers";
      stage.contest(
          "copies to %d, %s".formatted(topics, how),
          stage.messages(messages),
          Commits.of(
              "enqueued",
              calls,
              PRODUCER,
              number -> fan.published.withTopic(fan.topics.get(number % topics))),
          Commits.of(
              "published",
              calls,
              (pool, number) ->
                  PRODUCER.publishAll(
                      pool, Collections.nCopies(calls.each() / topics, fan.published))));
    }

    private record Fan(NewMessage published, List<Topic> topics) {}
  }

  /**
   * Transactions that put messages into the queue, one each unless it is told otherwise, on several
   * threads, over a pool as a team has one.
   */
  static final class Commits implements Contender {

    private final String name;
    private final HandlerInvoker calls;
    private final HikariDataSource pool;
    private final One one;

    private Commits(String name, HandlerInvoker calls, boolean autoCommit, One one) {
      this.name = name;
      this.calls = calls;
      this.pool = Bare.pool(calls.database, calls.threads, autoCommit);
      this.one = one;
    }

    /** How transactions are made. */
    record HandlerInvoker(QueueDatabase database, int threads, int each) {}

    static Contender of(String name, HandlerInvoker calls, One one) {
      return new Commits(name, calls, false, one);
    }

    static Contender autoCommitted(String name, HandlerInvoker calls, One one) {
      return new Commits(name, calls, true, one);
    }

    static Contender of(
        String name,
        HandlerInvoker calls,
        MessageProducer producer,
        IntFunction<NewMessage> message) {
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

    @FunctionalInterface
    interface One {

      void commit(DataSource pool, int number) throws SQLException;
    }

    /** The same payload for everybody: as an object, and as the bytes that it becomes. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Payloads(Text text, byte[] bytes) {

      static final String TOPIC = "bench";

      record Text(String text) {}

      static Payloads of(int size) {
        Text text = new Text("x".repeat(size - "{\"text\":\"\"}".length()));
        try {
          return new Payloads(text, new ObjectMapper().writeValueAsBytes(text));
        } catch (JsonProcessingException e) {
          throw new IllegalStateException(e);
        }
      }

      NewMessage message() {
        return NewMessage.of(TOPIC, text);
      }
    }
  }
}
