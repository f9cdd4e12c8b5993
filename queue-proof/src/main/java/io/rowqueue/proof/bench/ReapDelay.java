package io.rowqueue.proof.bench;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Bindings.Numbered;
import io.rowqueue.proof.process.Wire;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long 500 claims of a worker that is gone stay unhandled while an idle worker with
 * the defaults is there: after {@code kill -9}, and after the network is cut so that nobody is
 * told, where the lease decides. From the kill or the cut to the handler's first line for the first
 * and for the last of them.
 *
 * <p>Works in a schema of its own, which it drops.
 */
public final class ReapDelay {

  private static final int CLAIMS = 500;
  private static final int QUICK = 20_000;
  private static final int SLOW = 2_000;
  private static final int KILLS = 20;
  private static final int CUTS = 3;
  private static final int MOST_TRIALS = 10;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private static final String HELD = "SELECT COUNT(*) FROM queue_message WHERE state = 1";

  private static final String QUICK_LEFT =
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND priority = 0";

  private final QueueDatabase database;

  private ReapDelay(QueueDatabase database) {
    this.database = database;
  }

  /**
   * Runs all of it, in about ten minutes.
   *
   * @param arguments how many kills and how many cuts, 20 and 3 if they are left out, and then the
   *     JDBC URL of a server, with user and password; none for an embedded MariaDB
   */
  public static void main(String[] arguments) throws SQLException, IOException {
    List<String> counts = Stream.of(arguments).filter(word -> word.matches("\\d+")).toList();
    Stream.of(arguments)
        .filter(word -> word.startsWith("jdbc:"))
        .forEach(url -> System.setProperty("rowqueue.test.url", url));
    try (QueueDatabase database = QueueDatabase.create()) {
      if (counts.size() == 2) {
        new ReapDelay(database)
            .run(Integer.parseInt(counts.get(0)), Integer.parseInt(counts.get(1)));
      } else {
        new ReapDelay(database).run(KILLS, CUTS);
      }
    }
    System.exit(0);
  }

  private void run(int kills, int cuts) throws SQLException, IOException {
    System.out.println("server " + database.strings("SELECT VERSION()").get(0));
    Figures.printLoad();
    database.execute("CREATE TABLE reaped (message_id BIGINT PRIMARY KEY, nanos BIGINT NOT NULL)");
    List<Round> killed = new ArrayList<>();
    for (int round = 0; round < kills; round++) {
      killed.add(printed(round(null)));
    }
    List<Round> cut = new ArrayList<>();
    for (int round = 0; round < cuts; round++) {
      try (Wire wire = Wire.to(database.url())) {
        cut.add(printed(round(wire)));
      }
    }
    System.out.println();
    Figures.printHead("s until the handler's first line");
    print("of %d claims after kill -9".formatted(CLAIMS), killed);
    print("of %d claims after the network is cut".formatted(CLAIMS), cut);
    Figures.printLoad();
  }

  private static void print(String what, List<Round> rounds) {
    if (rounds.isEmpty()) {
      return;
    }
    Figures.of(rounds.stream().map(Round::first).toList()).print("first " + what);
    Figures.of(rounds.stream().map(Round::last).toList()).print("last " + what);
  }

  private static Round printed(Round round) {
    System.out.printf(Locale.ROOT, "first %.2f s, last %.2f s, ", round.first, round.last);
    Figures.printLoad();
    return round;
  }

  /** One victim, killed, or cut off if there is a wire. */
  private Round round(@Nullable Wire wire) throws IOException {
    String url = wire == null ? database.url() : wire.through(database.url());
    try (Child victim = victim(url);
        Child peer = Child.start(ReapWorker.class, database.url(), "peer")) {
      peer.awaitReady();
      // It looks once a second then, and the end comes at any moment in between.
      pauseMillis(4_000 + ThreadLocalRandom.current().nextInt(1_000));
      long gone = System.nanoTime();
      if (wire == null) {
        victim.kill();
      } else {
        wire.freeze();
      }
      await("SELECT COUNT(*) FROM reaped", CLAIMS);
      // A claim that the victim gave back before its end was handled before it, too.
      return new Round(
          seconds("SELECT MIN(nanos) FROM reaped WHERE nanos > " + gone, gone),
          seconds("SELECT MAX(nanos) FROM reaped", gone));
    }
  }

  /** A worker that holds all claims that it may, and nothing else is in the queue. */
  private Child victim(String url) throws IOException {
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
      database.clean();
      database.execute("DELETE FROM reaped");
      enqueue();
      Child victim = Child.start(ReapWorker.class, url, "victim");
      victim.awaitReady();
      await(QUICK_LEFT, 0);
      // What it took and has no thread for it gives back after a second.
      pauseMillis(2_000);
      if (database.count(HELD) == CLAIMS) {
        database.execute("DELETE FROM queue_message WHERE state = 0");
        return victim;
      }
      // On a busy machine it has learnt to claim less at a time.
      victim.kill();
    }
    throw new IllegalStateException("no worker came to hold %d claims".formatted(CLAIMS));
  }

  private void enqueue() {
    List<NewMessage> messages = new ArrayList<>();
    IntStream.range(0, QUICK).forEach(number -> messages.add(message(number)));
    IntStream.range(ReapWorker.SLOW_FROM, ReapWorker.SLOW_FROM + SLOW)
        .forEach(number -> messages.add(message(number).withPriority(1)));
    MessageProducer.create().enqueueAll(database.dataSource(), messages);
  }

  private static NewMessage message(int number) {
    return NewMessage.of(ReapWorker.TOPIC, new Numbered(number));
  }

  private void await(String query, long expected) {
    Await.until(query, LONGEST, () -> database.count(query), count -> count == expected);
  }

  private double seconds(String query, long since) {
    return (database.count(query) - since) / 1e9;
  }

  private static void pauseMillis(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** Seconds until the first and the last. */
  private record Round(double first, double last) {}
}
