package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.Delivery;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Child;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How long 500 claims of a worker that is gone stay unhandled while an idle worker with the
 * defaults is there: after {@code kill -9}, and after the network is cut so that nobody is told,
 * where the lease decides. From the kill or the cut to the handler's first line for the first and
 * for the last of them.
 */
final class Reap {

  private static final int QUICK = 20_000;
  private static final int SLOW = 2_000;
  private static final int ROUNDS = 20;
  private static final int MOST_TRIALS = 10;
  private static final double LEASE_SECONDS = 15;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private static final String HELD = "SELECT COUNT(*) FROM queue_message WHERE state = 1";

  private static final String QUICK_LEFT =
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND priority = 0";

  private Reap() {}

  static void run(Stage stage) throws IOException {
    stage
        .database()
        .execute("CREATE TABLE reaped (message_id BIGINT PRIMARY KEY, nanos BIGINT NOT NULL)");
    List<Round> killed = new ArrayList<>();
    List<Round> cut = new ArrayList<>();
    int rounds = (int) Math.max(1, stage.size() * ROUNDS);
    for (int round = 0; round < rounds; round++) {
      killed.add(noted(stage, "kill -9", round(stage.database(), null)));
    }
    for (int round = 0; round < rounds; round++) {
      try (Wire wire = Wire.to(stage.database().url())) {
        cut.add(noted(stage, "network cut", round(stage.database(), wire)));
      }
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    figures.put("first after kill -9", Figures.of(killed, Round::first));
    figures.put("last after kill -9", Figures.of(killed, Round::last));
    figures.put("first after the network is cut", Figures.of(cut, Round::first));
    figures.put("last after the network is cut", Figures.of(cut, Round::last));
    stage.figures("s until the first and the last of 500 claims run", "seconds", figures);
    stage.atMost("kill -9, median in s", Figures.of(killed, Round::first).median(), 2);
    stage.atMost("network cut, median in s", Figures.of(cut, Round::first).median(), LEASE_SECONDS);
  }

  private static Round noted(Stage stage, String what, Round round) {
    String words = "%s: first %.2f s, last %.2f s".formatted(what, round.first, round.last);
    stage.report().note(Stage.loaded(words));
    stage.sample(Map.of("case", what, "first", round.first, "last", round.last));
    return round;
  }

  /** One victim, killed, or cut off if there is a wire. */
  private static Round round(QueueDatabase database, @Nullable Wire wire) throws IOException {
    String url = wire == null ? database.url() : wire.through(database.url());
    try (Child victim = victim(database, url);
        Child peer = Child.start(ReapWorker.class, database.url(), "peer")) {
      peer.awaitReady();
      // It polls once a second then, and the end comes at any moment in between.
      Stage.pause(4 + ThreadLocalRandom.current().nextDouble());
      long gone = System.nanoTime();
      if (wire == null) {
        victim.kill();
      } else {
        wire.freeze();
      }
      await(database, "SELECT COUNT(*) FROM reaped", ReapWorker.CLAIMS);
      // A claim that the victim gave back before its end was handled before it, too.
      return new Round(
          seconds(database, "SELECT MIN(nanos) FROM reaped WHERE nanos > " + gone, gone),
          seconds(database, "SELECT MAX(nanos) FROM reaped", gone));
    }
  }

  /** A worker that holds all claims that it may, and nothing else is in the queue. */
  private static Child victim(QueueDatabase database, String url) throws IOException {
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
      database.clean();
      database.execute("DELETE FROM reaped");
      enqueue(database);
      Child victim = Child.start(ReapWorker.class, url, "victim");
      victim.awaitReady();
      await(database, QUICK_LEFT, 0);
      // What it took and has no thread for it gives back after a second.
      Stage.pause(2);
      if (database.count(HELD) == ReapWorker.CLAIMS) {
        database.execute("DELETE FROM queue_message WHERE state = 0");
        return victim;
      }
      // On a busy machine it has learnt to claim less at a time.
      victim.kill();
    }
    throw new IllegalStateException(
        "no worker came to hold %d claims".formatted(ReapWorker.CLAIMS));
  }

  private static void enqueue(QueueDatabase database) {
    List<NewMessage> messages = new ArrayList<>();
    IntStream.range(0, QUICK).forEach(number -> messages.add(message(number)));
    IntStream.range(ReapWorker.SLOW_FROM, ReapWorker.SLOW_FROM + SLOW)
        .forEach(number -> messages.add(message(number).withPriority(1)));
    MessageProducer.create().enqueueAll(database.dataSource(), messages);
  }

  private static NewMessage message(int number) {
    return NewMessage.of(ReapWorker.TOPIC, new Numbered(number));
  }

  /** Polls rarely, since each poll opens a connection, and the machine is the workers'. */
  private static void await(QueueDatabase database, String query, long expected) {
    Await.until(
        query,
        LONGEST,
        () -> {
          Stage.pause(0.1);
          return database.count(query);
        },
        count -> count == expected);
  }

  private static double seconds(QueueDatabase database, String query, long since) {
    return (database.count(query) - since) / 1e9;
  }

  private record Round(double first, double last) {}

  /**
   * A worker's process of {@link Reap}: the victim, which may hold no more claims than are lost,
   * and whose handlers do not come back, or the peer, with the defaults, whose handlers write down
   * when they began.
   */
  static final class ReapWorker {

    static final String TOPIC = "reap";

    /** Of the victim, when it is lost. */
    static final int CLAIMS = 500;

    /** Numbers below are handled at once, so that the victim learns to claim many at a time. */
    static final int SLOW_FROM = 1_000_000;

    private static final String INSERT = "INSERT INTO reaped (message_id, nanos) VALUES (?, ?)";

    private final CountDownLatch never = new CountDownLatch(1);

    private ReapWorker() {}

    public static void main(String[] arguments) throws IOException {
      new ReapWorker().run(arguments[0], arguments[1].equals("victim"));
      System.exit(0);
    }

    private void run(String url, boolean victim) throws IOException {
      WorkerConfig config = WorkerConfig.defaults(new DatabaseConfig(url, "", ""));
      Worker worker = victim ? victim(config) : peer(config);
      Child.ready("ready");
      Child.awaitEnd();
      worker.close();
    }

    /** In one batch, so that all its claims have started, and none is handed back unstarted. */
    private Worker victim(WorkerConfig config) {
      Module binding =
          LambdaHandlers.bindBatch(
              TOPIC, Numbered.class, this::stick, HandlerSettings.defaults().withBatchSize(CLAIMS));
      return Bindings.start(config.withMaxClaimed(CLAIMS), List.of(binding));
    }

    private static Worker peer(WorkerConfig config) {
      Module binding = Bindings.bind(TOPIC, ReapWorker::note);
      return Bindings.start(config, List.of(binding));
    }

    private void stick(List<Delivery<Numbered>> batch) throws InterruptedException {
      if (batch.stream().anyMatch(delivery -> delivery.payload().number() >= SLOW_FROM)) {
        never.await();
      }
    }

    private static void note(Numbered message, HandlerContext context) throws SQLException {
      long nanos = System.nanoTime();
      try (PreparedStatement insert = context.connection().prepareStatement(INSERT)) {
        insert.setLong(1, context.id().value());
        insert.setLong(2, nanos);
        insert.executeUpdate();
      }
    }
  }
}
