package io.rowqueue.proof.bench.topics;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Bindings;
import io.rowqueue.proof.bench.Bindings.Numbered;
import io.rowqueue.proof.bench.Stage;
import io.rowqueue.proof.bench.Workload;
import io.rowqueue.proof.bench.measure.Figures;
import io.rowqueue.proof.bench.measure.Load;
import io.rowqueue.proof.bench.report.Bar;
import io.rowqueue.proof.bench.report.Table;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * How soon nine quiet topics with a message each 200 ms are picked up beside a slow one with a
 * backlog of 100,000 messages that take 50 ms each: in a worker with the defaults, and again with
 * two threads at most for the slow one. And once without it, to compare with.
 */
public final class Topics implements Workload {

  private static final String SLOW = "slow";
  private static final int BACKLOG = 100_000;
  private static final int CHUNK = 10_000;
  private static final int QUIET_TOPICS = 9;
  private static final int ROUNDS = 150;
  private static final int WARM_UP = 15;
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Duration SLOW_TIME = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "topics";
  }

  @Override
  public String what() {
    return "pickup of quiet topics beside a slow one with a backlog";
  }

  @Override
  public void run(Stage stage) throws SQLException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    HandlerSettings usual = HandlerSettings.defaults();
    try (HikariDataSource producers = pool(stage.database().url())) {
      Scene scene = new Scene(stage.database(), producers);
      figures.put("quiet topics alone", scene.measure(0, usual));
      figures.put("beside the slow one", scene.measure(BACKLOG, usual));
      figures.put(
          "beside the slow one, limited to 2 threads",
          scene.measure(BACKLOG, usual.withMaxThreads(2)));
    }
    String title =
        String.format(
            Locale.ROOT,
            "ms from the COMMIT to the handler's first line (load %.1f)",
            Load.average());
    stage.report().table(Table.of(title, figures));
    figures.forEach(
        (what, each) ->
            stage.report().sample("topics", Map.of("case", what, "millis", each.sorted())));
    stage
        .report()
        .bar(
            Bar.atMost(
                "quiet topics beside a limited one, median in ms",
                figures.get("beside the slow one, limited to 2 threads").median(),
                20));
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    return new HikariDataSource(config);
  }

  private static List<Module> bindings(
      HandlerSettings slow, AtomicInteger slowOnes, Map<Integer, Long> picked) {
    List<Module> bindings = new ArrayList<>();
    bindings.add(
        Bindings.bind(
            SLOW,
            (message, context) -> {
              slowOnes.incrementAndGet();
              new CountDownLatch(1).await(SLOW_TIME.toNanos(), TimeUnit.NANOSECONDS);
            },
            slow));
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

  /** Where it happens. */
  private record Scene(QueueDatabase database, DataSource producers) {

    private Figures measure(int backlog, HandlerSettings slow) throws SQLException {
      database.clean();
      fill(backlog);
      AtomicInteger slowOnes = new AtomicInteger();
      Map<Integer, Long> picked = new ConcurrentHashMap<>();
      try (Worker worker = Bindings.start(database.url(), bindings(slow, slowOnes, picked))) {
        Await.that("the slow ones run", LONGEST, () -> slowOnes.get() >= Math.min(backlog, 100));
        Map<Integer, Long> committed = enqueueQuietOnes();
        Await.that("the quiet ones are handled", LONGEST, () -> picked.size() == committed.size());
        List<Double> millis = new ArrayList<>();
        committed.forEach(
            (number, from) -> {
              if (number >= WARM_UP * QUIET_TOPICS) {
                millis.add((picked.getOrDefault(number, from) - from) / 1e6);
              }
            });
        return Figures.of(millis);
      }
    }

    private void fill(int backlog) {
      MessageProducer producer = MessageProducer.create();
      for (int from = 0; from < backlog; from += CHUNK) {
        producer.enqueueAll(
            producers,
            IntStream.range(from, from + CHUNK)
                .mapToObj(number -> NewMessage.of(SLOW, new Numbered(number)))
                .toList());
      }
    }

    /** One topic after another, spread over the 200 ms; when each was committed. */
    private Map<Integer, Long> enqueueQuietOnes() throws SQLException {
      MessageProducer producer = MessageProducer.create();
      Ring ring = Rings.over(producers);
      Map<Integer, Long> committed = new HashMap<>();
      try (Connection connection = database.connect()) {
        connection.setAutoCommit(false);
        long start = System.nanoTime();
        for (int number = 0; number < ROUNDS * QUIET_TOPICS; number++) {
          long at = start + number * EVERY_NANOS / QUIET_TOPICS;
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
}
