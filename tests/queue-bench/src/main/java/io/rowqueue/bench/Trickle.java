package io.rowqueue.bench;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from the producer's COMMIT to the handler's while 50 messages come in a second, to a
 * notified worker whose handler inserts a row: what shared commits may not make longer.
 */
final class Trickle {

  private static final int MESSAGES = 500;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long POLL = TimeUnit.MICROSECONDS.toNanos(200);

  private Trickle() {}

  static void run(Stage stage) throws Exception {
    Map<String, HandlerSettings> modes = new LinkedHashMap<>();
    modes.put("RowQueue", HandlerSettings.defaults());
    modes.put("RowQueue, a COMMIT each", HandlerSettings.defaults().withCommitEach());
    Map<String, List<Double>> millis = new LinkedHashMap<>();
    for (int round = 0; round <= stage.rounds(); round++) {
      for (Map.Entry<String, HandlerSettings> mode : modes.entrySet()) {
        List<Double> waits = round(stage.database(), mode.getValue(), stage.scaled(MESSAGES, 10));
        // The first round compiles.
        if (round > 0) {
          millis.computeIfAbsent(mode.getKey(), name -> new ArrayList<>()).addAll(waits);
        }
      }
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    millis.forEach((name, each) -> figures.put(name, Figures.of(each)));
    stage.figures("ms from COMMIT to COMMIT, 50 messages a second", "millis", figures);
    List<Figures> both = List.copyOf(figures.values());
    stage.atMost("median to a COMMIT each", both.get(0).median() / both.get(1).median(), 1.1);
    stage.atMost("p99 to a COMMIT each", both.get(0).at(0.99) / both.get(1).at(0.99), 1.1);
  }

  private static List<Double> round(QueueDatabase database, HandlerSettings settings, int messages)
      throws SQLException, InterruptedException {
    Effect.INSERT.prepare(database);
    MessageProducer producer = MessageProducer.create();
    Map<Long, Long> open = new ConcurrentHashMap<>();
    List<Double> millis = new ArrayList<>();
    try (Worker worker =
            Bindings.start(
                database.url(),
                List.of(
                    Bindings.bind(
                        "trickle",
                        (message, context) ->
                            Effect.INSERT.happen(context.connection(), message.number()),
                        settings)));
        var pool = Bare.plainPool(database.url(), 1);
        Connection connection = Bare.connect(database);
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      WorkerNotifier notifier = WorkerNotifier.over(pool);
      Thread sender =
          new Thread(
              () -> {
                for (int number = 0; number < messages; number++) {
                  LockSupport.parkNanos(PAUSE);
                  send(producer, connection, number, open);
                  notifier.notifyWorkers("trickle");
                }
              },
              "sender");
      sender.start();
      while (millis.size() < messages) {
        // What is open before the read and not in it is done.
        Map<Long, Long> before = Map.copyOf(open);
        Set<Long> there = ids(statement);
        long now = System.nanoTime();
        before.forEach(
            (id, from) -> {
              if (!there.contains(id)) {
                open.remove(id);
                millis.add((now - from) / 1e6);
              }
            });
        LockSupport.parkNanos(POLL);
      }
      sender.join();
      worker.close();
    }
    return millis;
  }

  private static void send(
      MessageProducer producer, Connection connection, int number, Map<Long, Long> open) {
    try {
      long id =
          producer.enqueue(connection, NewMessage.of("trickle", new Numbered(number))).value();
      connection.commit();
      open.put(id, System.nanoTime());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<Long> ids(Statement statement) throws SQLException {
    Set<Long> ids = new HashSet<>();
    try (ResultSet rows = statement.executeQuery("SELECT id FROM queue_message")) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }
}
