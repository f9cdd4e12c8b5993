package io.rowqueue.bench.topics;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
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

/** A worker with the defaults, {@link #QUIET_TOPICS} quiet topics, and one that may be crowded. */
final class TopicScene {

  static final int QUIET_TOPICS = 49;

  private static final String CROWDED = "crowded";
  private static final int CHUNK = 10_000;
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** The first message of each quiet topic finds code that is not compiled yet. */
  private static final int WARM_UP = QUIET_TOPICS;

  private final QueueDatabase database;
  private final DataSource producers;
  private final AtomicInteger handled = new AtomicInteger();
  private final Map<Integer, Long> picked = new ConcurrentHashMap<>();

  TopicScene(QueueDatabase database, DataSource producers) {
    this.database = database;
    this.producers = producers;
  }

  /**
   * What came of it.
   *
   * @param millis from the COMMIT of a quiet topic's message to its handler's first line
   * @param perSecond how many of the crowded topic were handled in a second
   */
  record Outcome(Figures millis, double perSecond) {}

  /** For {@code seconds}, with a message in each quiet topic every second. */
  Outcome withQuietOnes(Crowd crowd, int seconds) throws SQLException {
    try (Worker worker = start(crowd)) {
      awaitRunning(crowd);
      int before = handled.get();
      long from = System.nanoTime();
      Map<Integer, Long> committed = enqueueQuietOnes(seconds);
      double perSecond = perSecond(before, from);
      Await.that("the quiet ones are handled", LONGEST, () -> picked.size() == committed.size());
      List<Double> millis = new ArrayList<>();
      committed.forEach(
          (number, at) -> {
            if (number >= WARM_UP) {
              millis.add((picked.getOrDefault(number, at) - at) / 1e6);
            }
          });
      return new Outcome(Figures.of(millis), perSecond);
    }
  }

  /** For {@code seconds}; the quiet topics are there, and have nothing. */
  double alone(Crowd crowd, int seconds) throws SQLException {
    try (Worker worker = start(crowd)) {
      awaitRunning(crowd);
      int before = handled.get();
      long from = System.nanoTime();
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
      return perSecond(before, from);
    }
  }

  private Worker start(Crowd crowd) {
    database.clean();
    fill(crowd.backlog());
    handled.set(0);
    picked.clear();
    return Bindings.start(database.url(), bindings(crowd));
  }

  private void awaitRunning(Crowd crowd) {
    Await.that(
        "the crowded one runs", LONGEST, () -> handled.get() >= Math.min(crowd.backlog(), 100));
  }

  private double perSecond(int before, long from) throws SQLException {
    double perSecond = (handled.get() - before) * 1e9 / (System.nanoTime() - from);
    if (handled.get() > before
        && database.count("SELECT COUNT(*) FROM queue_message WHERE topic = '" + CROWDED + "'")
            == 0) {
      throw new IllegalStateException("the crowded topic ran dry: its rate says nothing");
    }
    return perSecond;
  }

  private List<Module> bindings(Crowd crowd) {
    List<Module> bindings = new ArrayList<>();
    bindings.add(
        Bindings.bind(
            CROWDED,
            (message, context) -> {
              LockSupport.parkNanos(crowd.each().toNanos());
              handled.incrementAndGet();
            },
            crowd.settings()));
    for (int topic = 0; topic < QUIET_TOPICS; topic++) {
      bindings.add(
          Bindings.bind(
              quiet(topic),
              (message, context) -> {
                long now = System.nanoTime();
                picked.putIfAbsent(message.number(), now);
              },
              HandlerSettings.defaults()));
    }
    return bindings;
  }

  private static String quiet(int number) {
    return "quiet" + number % QUIET_TOPICS;
  }

  private void fill(int backlog) {
    MessageProducer producer = MessageProducer.create();
    for (int from = 0; from < backlog; from += CHUNK) {
      producer.enqueueAll(
          producers,
          IntStream.range(from, Math.min(from + CHUNK, backlog))
              .mapToObj(number -> NewMessage.of(CROWDED, new Numbered(number)))
              .toList());
    }
  }

  /** One topic after another, spread over each second; when each was committed. */
  private Map<Integer, Long> enqueueQuietOnes(int seconds) throws SQLException {
    MessageProducer producer = MessageProducer.create();
    Ring ring = Rings.over(producers);
    Map<Integer, Long> committed = new HashMap<>();
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      long start = System.nanoTime();
      for (int number = 0; number < seconds * QUIET_TOPICS; number++) {
        long at = start + number * TimeUnit.SECONDS.toNanos(1) / QUIET_TOPICS;
        LockSupport.parkNanos(at - System.nanoTime());
        producer.enqueue(connection, NewMessage.of(quiet(number), new Numbered(number)));
        connection.commit();
        committed.put(number, System.nanoTime());
        ring.ring(quiet(number));
      }
    }
    return committed;
  }
}
