package io.rowqueue.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Chart;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * How soon 49 quiet topics with a message a second each are picked up beside a hot one, whose
 * handlers do nothing, and beside a slow one, whose handlers take 50 ms: with the defaults, and
 * with a limit on the threads of the other; and what is left of the hot one's rate.
 */
final class QuietTopics {

  private static final int SECONDS = 30;

  /** More than a worker handles in twice the time. */
  private static final int HOT_PER_SECOND = 12_000;

  private static final int SLOW_PER_SECOND = 2_000;

  /** A limit as docs/operations.md advises it: some threads are always free for the others. */
  private static final int THREADS_FOR_OTHERS = 2;

  private QuietTopics() {}

  static void run(Stage stage) throws SQLException {
    int seconds = (int) Math.max(2, SECONDS * stage.size());
    HandlerSettings usual = HandlerSettings.defaults();
    int threads = WorkerConfig.defaults(stage.database().config()).threads();
    Crowd hot = new Crowd(HOT_PER_SECOND * seconds, Duration.ZERO, usual);
    Crowd slow = new Crowd(SLOW_PER_SECOND * seconds, Duration.ofMillis(50), usual);
    Map<String, Figures> millis = new LinkedHashMap<>();
    try (HikariDataSource producers = Bare.plainPool(stage.database().url(), 2)) {
      TopicScene scene = new TopicScene(stage.database(), producers);
      double alone = scene.alone(hot, seconds);
      millis.put("alone", scene.withQuietOnes(Crowd.NONE, seconds).millis());
      millis.put("beside the hot one", scene.withQuietOnes(hot, seconds).millis());
      TopicScene.Outcome limited =
          scene.withQuietOnes(hot.limitedTo(threads - THREADS_FOR_OTHERS), seconds);
      millis.put("beside the hot one, limited", limited.millis());
      millis.put("beside the slow one", scene.withQuietOnes(slow, seconds).millis());
      millis.put(
          "beside the slow one, limited", scene.withQuietOnes(slow.limitedTo(2), seconds).millis());
      report(stage, millis, alone, limited);
    }
  }

  private static void report(
      Stage stage, Map<String, Figures> millis, double alone, TopicScene.Outcome limited) {
    stage.figures("ms from the COMMIT to the handler's first line", "millis", millis);
    stage.chart(
        "topics",
        Chart.lines(
            "Pickup of 49 quiet topics", "% of the messages", "ms at most", shares(millis)));
    stage.sample(Map.of("hotAlone", alone, "hotBesideQuietOnes", limited.perSecond()));
    stage.atMost(
        "quiet topics beside the limited hot one, median in ms", limited.millis().median(), 20);
    stage.atLeast("the hot one's rate to that alone", limited.perSecond() / alone, 0.8);
  }

  /** For every third percent of the messages, what none of them exceeds. */
  private static Map<String, Map<Double, Double>> shares(Map<String, Figures> millis) {
    Map<String, Map<Double, Double>> shares = new LinkedHashMap<>();
    millis.forEach(
        (what, each) -> {
          Map<Double, Double> points = new LinkedHashMap<>();
          for (double percent = 3; percent < 100; percent += 3) {
            points.put(percent, each.at(percent / 100));
          }
          shares.put(what, points);
        });
    return shares;
  }

  /**
   * A worker with the defaults, {@link #QUIET_TOPICS} quiet topics, and one that may be crowded.
   */
  static final class TopicScene {

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

    /** What came of it. */
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
        Stage.pause(seconds);
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
                }));
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

  /** The topic that the quiet ones have beside them. */
  record Crowd(int backlog, Duration each, HandlerSettings settings) {

    static final Crowd NONE = new Crowd(0, Duration.ZERO, HandlerSettings.defaults());

    Crowd limitedTo(int threads) {
      return new Crowd(backlog, each, settings.withMaxThreads(threads));
    }
  }
}
