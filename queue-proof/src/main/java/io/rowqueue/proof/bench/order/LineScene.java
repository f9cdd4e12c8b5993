package io.rowqueue.proof.bench.order;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Bindings;
import io.rowqueue.proof.bench.Bindings.Numbered;
import io.rowqueue.proof.bench.measure.Figures;
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
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** A worker with the defaults, and lines of messages whose handlers do nothing. */
final class LineScene {

  private static final String TOPIC = "line";
  private static final String OTHER = "other";
  private static final int CHUNK = 10_000;
  private static final Duration LONGEST = Duration.ofMinutes(15);
  private static final long BETWEEN_OTHERS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final QueueDatabase database;
  private final AtomicInteger handled = new AtomicInteger();
  private final Map<Integer, Long> picked = new ConcurrentHashMap<>();

  LineScene(QueueDatabase database) {
    this.database = database;
  }

  /**
   * What one long line came to.
   *
   * @param first its first messages, a second
   * @param last its last ones
   * @param others from the COMMIT of another key's message to its handler's first line, in ms
   */
  record LongLine(double first, double last, Figures others) {}

  /** So many messages a second, over {@code keys} lines; without any where that is 0. */
  double drain(int messages, int keys) throws SQLException {
    begin();
    enqueue(
        IntStream.range(0, messages)
            .mapToObj(
                number ->
                    keys == 0
                        ? message(number)
                        : message(number).withOrderingKey("key-" + number % keys))
            .toList());
    long start = System.nanoTime();
    try (Worker worker = start(1)) {
      Await.that("all are handled", LONGEST, () -> handled.get() == messages);
      awaitEmpty();
      return messages * 1e9 / (System.nanoTime() - start);
    }
  }

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
      try (Worker worker = start(16)) {
        double first = rate(0, timed);
        Figures millis = enqueueOthers(others);
        return new LongLine(first, rate(length - timed, length), millis);
      }
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

  private Worker start(int least) {
    Module lines =
        Bindings.bind(
            TOPIC, (message, context) -> handled.incrementAndGet(), HandlerSettings.defaults());
    Module others = Bindings.bind(OTHER, this::pick, HandlerSettings.defaults());
    Worker worker = Bindings.start(database.url(), List.of(lines, others));
    Await.that("it runs", LONGEST, () -> handled.get() >= least);
    return worker;
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

  /** One after another, each with a key of its own. */
  private Figures enqueueOthers(int count) {
    MessageProducer producer = MessageProducer.create();
    List<Double> millis = new ArrayList<>();
    try (HikariDataSource producers = pool(database.url())) {
      Map<Integer, Long> committed = new HashMap<>();
      for (int number = 0; number < count; number++) {
        producer.enqueue(
            producers,
            NewMessage.of(OTHER, new Numbered(number)).withOrderingKey("other-" + number));
        committed.put(number, System.nanoTime());
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
    try (HikariDataSource producers = pool(database.url())) {
      for (int from = 0; from < messages.size(); from += CHUNK) {
        producer.enqueueAll(
            (DataSource) producers,
            messages.subList(from, Math.min(messages.size(), from + CHUNK)));
      }
    }
  }

  private void awaitEmpty() {
    Await.that(
        "the queue is empty",
        LONGEST,
        () -> database.count("SELECT COUNT(*) FROM queue_message") == 0);
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }
}
