package io.rowqueue.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Enqueue.Commits.Calls;
import io.rowqueue.bench.Enqueue.Commits.Payloads;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.database.Transactions;
import io.rowqueue.depth.DepthJudge;
import io.rowqueue.depth.DepthLimit;
import io.rowqueue.depth.TopicOverfullException;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
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

  static final class Producers {

    private static final int TOGETHER = 16;
    private static final NewMessage MESSAGE = Payloads.of(200).message();
    private static final MessageProducer PRODUCER = MessageProducer.create().ringing(Ring.SILENT);
    private static final Topic TOPIC = new Topic(Payloads.TOPIC);
    private static final long ROOMY = 10_000_000;

    private Producers() {}

    /** What a deduplication key costs its producer, whether it is held or not. */
    static void deduplication(Stage stage) throws Exception {
      deduplication(stage, "a commit each, 1 producer", 2_000, new Calls(stage.database(), 1, 1));
      deduplication(stage, "1,000 a call", 20_000, new Calls(stage.database(), 1, 1_000));
      Calls together = new Calls(stage.database(), TOGETHER, 1);
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

    private static void deduplication(Stage stage, String how, int messages, Calls calls)
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

    private static Contender plain(String name, Calls calls) {
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

    private static Contender keyed(String name, Calls calls, IntFunction<Deduplication> rule) {
      return new Prepared(
          Commits.of(
              name, calls, PRODUCER, number -> MESSAGE.withDeduplication(rule.apply(number))),
          messages -> {},
          messages -> calls.database().execute("DELETE FROM queue_deduplication"));
    }

    /** The same, where others have enqueued before under each key. */
    private static Contender held(String name, Calls calls, IntFunction<Deduplication> rule) {
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
          Subscriptions.of(Transactions.on(stage.database().dataSource()));
      for (int count : new int[] {1, 3, 10}) {
        String source = "source-" + count;
        IntStream.range(0, count)
            .forEach(number -> subscriptions.subscribe(source, source + "-" + number));
        Fan fan = new Fan(MESSAGE.withTopic(new Topic(source)), subscriptions.topics(source));
        fanOut(stage, fan, 10_000, new Calls(stage.database(), TOGETHER, count));
        // Copies in a transaction: a number that each number of topics divides.
        fanOut(stage, fan, 30_000, new Calls(stage.database(), 1, 990));
      }
    }

    private static void fanOut(Stage stage, Fan fan, int messages, Calls calls) throws Exception {
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

    /** Producers under a limit that has room, those that get none, and what a verdict takes. */
    static void backPressure(Stage stage) throws Exception {
      QueueDatabase database = stage.database();
      Topics topics = Topics.of(Transactions.on(database.dataSource()));
      topics.limitDepth(TOPIC, ROOMY);
      Map<String, Figures> millis = new LinkedHashMap<>();
      try (HikariDataSource own = Bare.pool(database, 1)) {
        DepthJudge judge = DepthJudge.of(Transactions.on(own));
        // All threads share one reading a second of what was found last.
        TopicRoom room = TopicRoom.over(own);
        Calls calls = new Calls(database, TOGETHER, 1);
        stage.contest(
            "producers that find room",
            stage.scaled(20_000, 200),
            plain("without a room", calls),
            Commits.of("refusing", calls, PRODUCER.refusing(room), number -> MESSAGE),
            Commits.of(
                "waiting",
                calls,
                PRODUCER.waiting(room, Duration.ofMinutes(1)),
                number -> MESSAGE));
        topics.limitDepth(TOPIC, 1);
        PRODUCER.enqueueAll((DataSource) own, Collections.nCopies(2, MESSAGE));
        judge(database, judge, new DepthLimit(1L, null));
        millis.put("a refusal", refusals(stage, PRODUCER.refusing(TopicRoom.over(own))));
        for (int waiting : new int[] {1_000, 100_000, 1_000_000}) {
          judgements(stage, judge, stage.scaled(waiting, 1_000), millis);
        }
      }
      stage.figures("back-pressure, ms", "millisEach", millis);
    }

    /** In groups of a thousand, since one is too short for the clock. */
    private static Figures refusals(Stage stage, MessageProducer refusing) {
      List<Double> millis = new ArrayList<>();
      for (int group = -stage.warmUps(); group < stage.messages(100_000) / 1_000; group++) {
        long start = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
          refuse(refusing, stage.database().dataSource());
        }
        if (group >= 0) {
          millis.add((System.nanoTime() - start) / 1e9);
        }
      }
      return Figures.of(millis);
    }

    private static void refuse(MessageProducer refusing, DataSource nobodys) {
      try {
        refusing.enqueue(nobodys, MESSAGE);
      } catch (TopicOverfullException expected) {
        return;
      }
      throw new IllegalStateException("a topic over its limit took a message");
    }

    private static void judgements(
        Stage stage, DepthJudge judge, int waiting, Map<String, Figures> millis) {
      QueueDatabase database = stage.database();
      QueueTable.makeDigits(database);
      database.execute(
          "INSERT INTO queue_message (topic, payload) SELECT '%s', REPEAT('x', 200) FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT %d"
              .formatted(
                  TOPIC.name(), waiting - database.count("SELECT COUNT(*) FROM queue_message")));
      Figures ofDepth = judge(database, judge, new DepthLimit(ROOMY, null));
      Figures ofAge = judge(database, judge, new DepthLimit(null, Duration.ofHours(1)));
      millis.put("a verdict of the depth, %,d waiting".formatted(waiting), ofDepth);
      millis.put("a verdict of the age, %,d waiting".formatted(waiting), ofAge);
      stage.atMost("ms for the age, %,d waiting".formatted(waiting), ofAge.median(), 5);
    }

    /** Each as if it were the first in a second; the first one is not measured. */
    private static Figures judge(QueueDatabase database, DepthJudge judge, DepthLimit limit) {
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i <= 11; i++) {
        database.execute("DELETE FROM queue_depth");
        long start = System.nanoTime();
        if (!judge.judge(TOPIC, limit, Collections.emptyNavigableMap())) {
          throw new IllegalStateException("somebody else has judged");
        }
        if (i > 0) {
          millis.add((System.nanoTime() - start) / 1e6);
        }
      }
      return Figures.of(millis);
    }
  }

  /**
   * Transactions that put messages into the queue, one each unless it is told otherwise, on several
   * threads, over a pool as a team has one.
   */
  static final class Commits implements Contender {

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

    /** How transactions are made. */
    record Calls(QueueDatabase database, int threads, int each) {}

    static Contender of(String name, Calls calls, One one) {
      return new Commits(name, calls, one);
    }

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
