package io.rowqueue.proof.bench;

import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Measures the time from a COMMIT in one process to the first line of the handler in another, whose
 * worker is idle and has ten topics; beside it, in turn with it, the least that a ring and a claim
 * can cost in plain JDBC; and then how many statements a second the idle worker sends. Three
 * processes of one host: their clocks, {@link System#nanoTime()}, are the same one on Linux.
 *
 * <p>Works in a schema of its own, which it drops.
 */
public final class Pickup {

  static final int SAMPLES = 1_000;

  /** Left out: the processes have just started, and their code is not compiled yet. */
  static final int WARM_UP = 300;

  private static final int SETTLE_SECONDS = 5;
  private static final int IDLE_SECONDS = 30;

  private final QueueDatabase database;

  private Pickup(QueueDatabase database) {
    this.database = database;
  }

  /**
   * Runs all of it, in about two minutes.
   *
   * @param arguments the JDBC URL of a server, with user and password; none for an embedded MariaDB
   */
  public static void main(String[] arguments) throws SQLException, IOException {
    if (arguments.length > 0) {
      System.setProperty("rowqueue.test.url", arguments[0]);
    }
    try (QueueDatabase database = QueueDatabase.create()) {
      new Pickup(database).run();
    }
    System.exit(0);
  }

  private void run() throws SQLException, IOException {
    System.out.println("server " + database.strings("SELECT VERSION()").get(0));
    Figures.printLoad();
    try (Child worker = Child.start(PickupWorker.class, database.url())) {
      worker.awaitReady();
      measurePickup(worker);
    }
    try (Child worker = Child.start(PickupWorker.class, database.url())) {
      worker.awaitReady();
      measureIdling();
    }
    Figures.printLoad();
  }

  private void measurePickup(Child worker) throws IOException {
    try (Child bare = Child.start(BareClaimer.class, database.url())) {
      String listener = bare.awaitReady();
      try (Child producer = Child.start(PickupProducer.class, database.url(), listener)) {
        producer.awaitReady();
        List<String> commits = producer.rest();
        Figures queue = waits(PickupProducer.QUEUE, commits, worker.end());
        Figures floor = waits(PickupProducer.BARE, commits, bare.end());
        System.out.println();
        Figures.printHead("ms from the COMMIT");
        queue.print("to the handler's first line");
        floor.print("to the end of a bare claim");
        System.out.printf(
            Locale.ROOT, "ratio of the medians %.2f%n", queue.median() / floor.median());
      }
    }
  }

  /** Joins when each message was committed with when it was picked up. */
  private static Figures waits(String kind, List<String> commits, List<String> pickups) {
    Map<Integer, Long> committed = times(kind, commits);
    Map<Integer, Long> picked = times(kind, pickups);
    List<Double> millis = new ArrayList<>();
    for (int number = WARM_UP; number < WARM_UP + SAMPLES; number++) {
      Long from = committed.get(number);
      Long to = picked.get(number);
      if (from == null || to == null) {
        throw new IllegalStateException("message %d of %s is missing".formatted(number, kind));
      }
      millis.add((to - from) / 1e6);
    }
    return Figures.of(millis);
  }

  /** Lines of kind, number and nanoseconds. */
  private static Map<Integer, Long> times(String kind, List<String> lines) {
    return lines.stream()
        .map(line -> line.split(" ", -1))
        .filter(words -> words[0].equals(kind))
        .collect(
            Collectors.toMap(words -> Integer.valueOf(words[1]), words -> Long.valueOf(words[2])));
  }

  /** Counts what the whole server is asked: nobody else may use it meanwhile. */
  private void measureIdling() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      // Its connections open and its looks grow rare.
      statement.execute("DO SLEEP(" + SETTLE_SECONDS + ")");
      long before = questions(statement);
      statement.execute("DO SLEEP(" + IDLE_SECONDS + ")");
      // Less the SLEEP, and the second look at the counter.
      long sent = questions(statement) - before - 2;
      System.out.printf(
          Locale.ROOT,
          "%nidle worker with ten topics: %d statements in %d s, %.2f a second%n",
          sent,
          IDLE_SECONDS,
          sent / (double) IDLE_SECONDS);
    }
  }

  private static long questions(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }
}
