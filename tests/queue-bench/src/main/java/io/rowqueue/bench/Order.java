package io.rowqueue.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A drain without ordering keys beside those with a hundred keys and with as many as half of its
 * messages, by turns; one long line, at its beginning and at its end, without and with an old
 * snapshot; and how soon the messages of another key are picked up beside it.
 */
final class Order {

  private static final int LONG_LINE = 100_000;
  private static final int TIMED = 10_000;
  private static final int OTHERS = 200;
  private static final int AT_ONCE = 4;

  private Order() {}

  static void run(Stage stage) throws Exception {
    Features.orderingKeys(stage);
    LineScene scene = new LineScene(stage.database());
    longLine(stage, scene);
    busyKey(stage, scene);
  }

  private static void longLine(Stage stage, LineScene scene) throws Exception {
    int line = stage.messages(LONG_LINE);
    int timed = Math.min(line / 4, stage.messages(TIMED));
    // So few that the line outlasts them: its end is timed after them.
    int others = Math.min(line / 100, OTHERS);
    LineScene.LongLine usual = scene.longLine(line, timed, others, false);
    LineScene.LongLine old = scene.longLine(line, timed, others, true);
    Table rates =
        new Table(
            "one line of %,d".formatted(line),
            "",
            "first, a second",
            "last, a second",
            "another key, ms in the median",
            "p99");
    row(rates, "", usual);
    row(rates, "with an old snapshot", old);
    stage.table(rates);
    sample(stage, "long line", usual);
    sample(stage, "old snapshot", old);
    stage.atLeast("the end of a long line to its beginning", usual.last() / usual.first(), 0.9);
    stage.atLeast("one line, messages a second", usual.last(), 300);
    stage.atMost("another key beside it, p99 in ms", usual.others().at(0.99), 50);
  }

  private static void busyKey(Stage stage, LineScene scene) throws Exception {
    int length = stage.messages(LONG_LINE);
    Figures millis = scene.besideABusyKey(length, AT_ONCE, Math.min(length / 100, OTHERS));
    stage.table(
        Table.of(
            "ms to other keys of the topic, beside one with %,d of which %d may run"
                .formatted(length, AT_ONCE),
            Map.of("", millis)));
    stage.sample(Map.of("case", "busy key", "othersMillis", millis.sorted()));
    stage.atMost("beside a busy key, p99 in ms", millis.at(0.99), 50);
  }

  private static void sample(Stage stage, String what, LineScene.LongLine line) {
    stage.sample(
        Map.of(
            "case", what,
            "firstPerSecond", line.first(),
            "lastPerSecond", line.last(),
            "othersMillis", line.others().sorted()));
  }

  private static void row(Table table, String what, LineScene.LongLine line) {
    table.row(
        what,
        "%,.0f".formatted(line.first()),
        "%,.0f".formatted(line.last()),
        "%.1f".formatted(line.others().median()),
        "%.1f".formatted(line.others().at(0.99)));
  }

  /** A worker with the defaults, and lines of messages whose handlers do nothing. */
  static final class LineScene {

    private static final String TOPIC = "line";
    private static final String OTHER = "other";
    private static final int CHUNK = 10_000;

    /** So many are handled before anything is timed. */
    private static final int WARM = 16;

    private static final Duration LONGEST = Duration.ofMinutes(15);
    private static final long BETWEEN_OTHERS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final QueueDatabase database;
    private final AtomicInteger handled = new AtomicInteger();
    private final Map<Integer, Long> picked = new ConcurrentHashMap<>();

    LineScene(QueueDatabase database) {
      this.database = database;
    }

    /** What one long line came to. */
    record LongLine(double first, double last, Figures others) {}

    /** One line of {@code length}, whose first and last {@code timed} are timed. */
    LongLine longLine(int length, int timed, int others, boolean oldSnapshot) throws SQLException {
      begin();
      try (Connection snapshot = database.connect()) {
        if (oldSnapshot) {
          snapshot.setAutoCommit(false);
          snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
          read(snapshot);
        }
        enqueue(
            IntStream.range(0, length)
                .mapToObj(number -> message(number).withOrderingKey("long"))
                .toList());
        try (Worker worker = start()) {
          double first = rate(0, timed);
          Figures millis =
              timeOthers(
                  others,
                  number ->
                      NewMessage.of(OTHER, new Numbered(number))
                          .withOrderingKey("other-" + number));
          return new LongLine(first, rate(length - timed, length), millis);
        }
      }
    }

    /**
     * Beside a key with {@code length} messages of which {@code most} may be handled at once: how
     * soon those of other keys of the same topic are, in ms.
     */
    Figures besideABusyKey(int length, int most, int others) throws SQLException {
      begin();
      Topics topics = Topics.of(Transactions.on(database.dataSource()));
      topics.limitKeyInFlight(new Topic(TOPIC), most);
      enqueue(
          IntStream.range(0, length)
              .mapToObj(number -> message(number).withLimitKey("busy"))
              .toList());
      try (Worker worker = start()) {
        Figures millis =
            timeOthers(others, number -> message(-1 - number).withLimitKey("other-" + number));
        // A short one, for a look, may end before them.
        if (length >= CHUNK && handled.get() >= length) {
          throw new IllegalStateException("the busy key's messages did not outlast the others");
        }
        return millis;
      } finally {
        topics.limitKeyInFlightNone(new Topic(TOPIC));
      }
    }

    private void begin() {
      database.clean();
      handled.set(0);
      picked.clear();
    }

    private static void read(Connection snapshot) throws SQLException {
      try (Statement statement = snapshot.createStatement()) {
        statement.execute("SELECT COUNT(*) FROM queue_message");
      }
    }

    private Worker start() {
      Module lines = Bindings.bind(TOPIC, this::handle);
      Module others = Bindings.bind(OTHER, this::pick);
      Worker worker = Bindings.start(database.url(), List.of(lines, others));
      Await.that("it runs", LONGEST, () -> handled.get() >= WARM);
      return worker;
    }

    private void handle(Numbered message, HandlerContext context) {
      if (message.number() < 0) {
        pick(message, context);
      } else {
        handled.incrementAndGet();
      }
    }

    private void pick(Numbered message, HandlerContext context) {
      picked.putIfAbsent(message.number(), System.nanoTime());
    }

    private double rate(int from, int to) {
      Await.that("a part of the line is handled", LONGEST, () -> handled.get() >= from);
      int begun = handled.get();
      long start = System.nanoTime();
      Await.that("a part of the line is handled", LONGEST, () -> handled.get() >= to);
      return (handled.get() - begun) * 1e9 / (System.nanoTime() - start);
    }

    private Figures timeOthers(int count, IntFunction<NewMessage> message) {
      MessageProducer producer = MessageProducer.create();
      List<Double> millis = new ArrayList<>();
      try (HikariDataSource producers = Bare.plainPool(database.url(), 1)) {
        Map<Integer, Long> committed = new HashMap<>();
        for (int i = 0; i < count; i++) {
          NewMessage other = message.apply(i);
          producer.enqueue((DataSource) producers, other);
          committed.put(((Numbered) other.payload()).number(), System.nanoTime());
          LockSupport.parkNanos(BETWEEN_OTHERS_NANOS);
        }
        Await.that("the others are handled", LONGEST, () -> picked.size() == count);
        committed.forEach((number, at) -> millis.add((picked.getOrDefault(number, at) - at) / 1e6));
      }
      return Figures.of(millis);
    }

    private static NewMessage message(int number) {
      return NewMessage.of(TOPIC, new Numbered(number));
    }

    private void enqueue(List<NewMessage> messages) {
      MessageProducer producer = MessageProducer.create();
      try (HikariDataSource producers = Bare.plainPool(database.url(), 1)) {
        for (int from = 0; from < messages.size(); from += CHUNK) {
          producer.enqueueAll(
              (DataSource) producers,
              messages.subList(from, Math.min(messages.size(), from + CHUNK)));
        }
      }
    }
  }
}
