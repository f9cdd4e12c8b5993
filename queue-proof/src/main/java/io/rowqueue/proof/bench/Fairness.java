package io.rowqueue.proof.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Bindings.Numbered;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Measures how soon nine quiet topics with a message each 200 ms are picked up beside a slow one
 * with a backlog of 100,000 messages that take 50 ms each: in a worker with the defaults, and again
 * with two threads at most for the slow one. And once without it, to compare with.
 *
 * <p>Works in a schema of its own, which it drops.
 */
public final class Fairness {

  private static final String SLOW = "slow";
  private static final int BACKLOG = 100_000;
  private static final int CHUNK = 10_000;
  private static final int QUIET_TOPICS = 9;
  private static final int ROUNDS = 150;
  private static final int WARM_UP = 15;
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Duration SLOW_TIME = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final QueueDatabase database;
  private final DataSource producers;

  private Fairness(QueueDatabase database, DataSource producers) {
    this.database = database;
    this.producers = producers;
  }

  /**
   * Runs all of it, in about two minutes.
   *
   * @param arguments the JDBC URL of a server, with user and password; none for an embedded MariaDB
   */
  public static void main(String[] arguments) throws SQLException {
    if (arguments.length > 0) {
      System.setProperty("rowqueue.test.url", arguments[0]);
    }
    try (QueueDatabase database = QueueDatabase.create();
        HikariDataSource producers = pool(database.url())) {
      new Fairness(database, producers).run();
    }
    System.exit(0);
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    return new HikariDataSource(config);
  }

  private void run() throws SQLException {
    System.out.println("server " + database.strings("SELECT VERSION()").get(0));
    Figures.printLoad();
    System.out.println();
    Figures.printHead("ms from the COMMIT to the handler's first line");
    measure("quiet topics alone", 0, HandlerSettings.defaults());
    measure("beside the slow one", BACKLOG, HandlerSettings.defaults());
    measure(
        "beside the slow one, limited to 2 threads",
        BACKLOG,
        HandlerSettings.defaults().withMaxThreads(2));
    Figures.printLoad();
  }

  private void measure(String what, int backlog, HandlerSettings slow) throws SQLException {
    database.clean();
    fill(backlog);
    AtomicInteger slowOnes = new AtomicInteger();
    Map<Integer, Long> picked = new ConcurrentHashMap<>();
    Worker worker = Bindings.start(database.url(), bindings(slow, slowOnes, picked));
    try {
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
      Figures.of(millis).print(what);
    } finally {
      worker.close();
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
