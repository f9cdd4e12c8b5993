package io.rowqueue.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.Worker;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The time from a COMMIT in one process to the first line of the handler in another, whose worker
 * is idle and has ten topics; beside it, in turn with it, the least that a notification and a claim
 * can cost in plain JDBC. Three processes of one host: their clocks, {@link System#nanoTime()}, are
 * the same one on Linux.
 */
final class Pickup {

  private static final int SAMPLES = 1_000;

  /**
   * For each sample: the processes have just started, and their code is compiled after some
   * thousand calls; a worker is up for days.
   */
  private static final int WARM_UPS = 2;

  private Pickup() {}

  static void run(Stage stage) throws IOException, SQLException {
    String url = stage.database().url();
    int samples = stage.scaled(SAMPLES, 10);
    int all = (1 + WARM_UPS) * samples;
    try (Child worker = Child.start(PickupWorker.class, url);
        Child bare = Child.start(BareClaimer.class, url)) {
      worker.awaitReady();
      String listener = bare.awaitReady();
      try (Connection watch = stage.database().connect();
          Child producer =
              Child.start(PickupProducer.class, url, listener, Integer.toString(all))) {
        producer.awaitReady();
        List<String> commits = producer.rest();
        QueueTable.awaitEmpty(watch, "queue_message");
        report(
            stage,
            waits(PickupProducer.QUEUE, all - samples, commits, worker.end()),
            waits(PickupProducer.BARE, all - samples, commits, bare.end()));
      }
    }
  }

  private static void report(Stage stage, Figures queue, Figures baseline) {
    Map<String, Figures> figures = new LinkedHashMap<>();
    figures.put("to the handler's first line", queue);
    figures.put("to the end of a bare notification and claim", baseline);
    stage.figures("ms from the COMMIT", "millis", figures);
    stage.atMost("median in ms", queue.median(), 2.5);
    stage.atMost("p99 in ms", queue.at(0.99), 10);
  }

  /**
   * What a worker with ten topics and the defaults asks of the server while there is nothing: a
   * poll and its end each second, and the lease.
   */
  static void idle(Stage stage) throws IOException {
    try (Child worker = Child.start(PickupWorker.class, stage.database().url())) {
      worker.awaitReady();
      // Its connections open, and its polls grow rare.
      Stage.pause(5);
      Mark from = stage.meter().mark();
      Stage.pause(stage.scaled(60, 1));
      Effort nothing = stage.meter().since(from, 1);
      double each = nothing.statements() / nothing.seconds();
      double millis = 1_000 * nothing.serverSeconds() / nothing.seconds();
      stage.table(
          new Table(Stage.loaded("an idle worker, ten topics"), "what", "in a second")
              .row("statements", "%.2f".formatted(each))
              .row("rows read", "%.1f".formatted(nothing.rowsRead() / nothing.seconds()))
              .row("server CPU, ms", "%.2f".formatted(millis)));
      stage.sample(Map.of("statementsASecond", each, "serverCpuMillisASecond", millis));
      stage.atMost("statements a second", each, 4);
      worker.end();
    }
  }

  private static Figures waits(String kind, int first, List<String> commits, List<String> pickups) {
    Map<Integer, Long> committed = times(kind, commits);
    Map<Integer, Long> picked = times(kind, pickups);
    List<Double> millis = new ArrayList<>();
    committed.forEach(
        (number, from) -> {
          Long to = picked.get(number);
          if (to == null) {
            throw new IllegalStateException("message %d of %s is missing".formatted(number, kind));
          }
          if (number >= first) {
            millis.add((to - from) / 1e6);
          }
        });
    return Figures.of(millis);
  }

  private static Map<Integer, Long> times(String kind, List<String> lines) {
    return lines.stream()
        .map(line -> line.split(" ", -1))
        .filter(words -> words[0].equals(kind))
        .collect(
            Collectors.toMap(words -> Integer.valueOf(words[1]), words -> Long.valueOf(words[2])));
  }

  /**
   * The least that a notification and a claim can cost: a connection that sleeps in the server
   * until it is killed, and another that claims one message with one SELECT, one UPDATE and a
   * COMMIT.
   */
  static final class BareClaimer {

    /** MariaDB reports a killed SLEEP as an error. */
    private static final int QUERY_INTERRUPTED = 1317;

    private static final String SELECT =
        "SELECT id, payload FROM queue_message FORCE INDEX (queue_message_claim)"
            + " WHERE topic = 'bare' AND state = 0 ORDER BY priority, id LIMIT 1"
            + " FOR UPDATE SKIP LOCKED";
    private static final String UPDATE =
        "UPDATE queue_message SET state = 1, lock_id = 'bare', claim_number = claim_number + 1"
            + " WHERE id = ?";
    private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

    private final ObjectMapper json = new ObjectMapper();
    private final List<String> picked = new ArrayList<>();
    private volatile boolean ending;

    private BareClaimer() {}

    public static void main(String[] arguments) throws SQLException, IOException {
      String url = arguments[0] + "&useServerPrepStmts=true&cachePrepStmts=true";
      BareClaimer claimer = new BareClaimer();
      try (Connection listener = DriverManager.getConnection(url);
          Connection worker = DriverManager.getConnection(url)) {
        worker.setAutoCommit(false);
        worker.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        Child.ready(id(listener));
        Thread loop = new Thread(() -> claimer.claimUntilTheEnd(listener, worker), "bare");
        loop.setDaemon(true);
        loop.start();
        Child.awaitEnd();
        claimer.ending = true;
      }
      claimer.print();
      System.exit(0);
    }

    private static long id(Connection listener) throws SQLException {
      try (Statement statement = listener.createStatement();
          ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
        row.next();
        return row.getLong(1);
      }
    }

    private void claimUntilTheEnd(Connection listener, Connection worker) {
      try (Statement sleep = listener.createStatement();
          PreparedStatement select = worker.prepareStatement(SELECT);
          PreparedStatement update = worker.prepareStatement(UPDATE);
          PreparedStatement delete = worker.prepareStatement(DELETE)) {
        while (!ending) {
          sleep(sleep);
          for (long id = claim(worker, select, update);
              id > 0;
              id = claim(worker, select, update)) {
            delete.setLong(1, id);
            delete.executeUpdate();
            worker.commit();
          }
        }
      } catch (SQLException | IOException e) {
        if (!ending) {
          throw new IllegalStateException("the bare claimer has failed", e);
        }
      }
    }

    /** A notification that is lost costs half a second. */
    private static void sleep(Statement statement) throws SQLException {
      try (ResultSet row = statement.executeQuery("SELECT SLEEP(0.5)")) {
        row.next();
      } catch (SQLException e) {
        if (e.getErrorCode() != QUERY_INTERRUPTED) {
          throw e;
        }
      }
    }

    private long claim(Connection worker, PreparedStatement select, PreparedStatement update)
        throws SQLException, IOException {
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          worker.commit();
          return 0;
        }
        long id = row.getLong(1);
        int number = json.readTree(row.getBytes(2)).get("number").asInt();
        update.setLong(1, id);
        update.executeUpdate();
        worker.commit();
        note(number, System.nanoTime());
        return id;
      }
    }

    private synchronized void note(int number, long nanos) {
      picked.add(PickupProducer.BARE + " " + number + " " + nanos);
    }

    private synchronized void print() {
      picked.forEach(System.out::println);
    }
  }

  /**
   * The producer's process of {@link Pickup}: a transaction on a connection of its own, and then a
   * notification over a pool, by turns for the worker and for the bare claimer.
   */
  static final class PickupProducer {

    static final String QUEUE = "queue";
    static final String BARE = "bare";

    private static final long LEAST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MOST_PAUSE = TimeUnit.MILLISECONDS.toNanos(40);

    private final MessageProducer producer = MessageProducer.create();
    private final Connection connection;
    private final List<String> commits = new ArrayList<>();

    private PickupProducer(Connection connection) {
      this.connection = connection;
    }

    public static void main(String[] arguments) throws SQLException {
      try (HikariDataSource pool = Bare.plainPool(arguments[0], 2);
          Connection connection = DriverManager.getConnection(arguments[0])) {
        connection.setAutoCommit(false);
        Child.ready("ready");
        new PickupProducer(connection)
            .run(pool, Long.parseLong(arguments[1]), Integer.parseInt(arguments[2]));
      }
      System.exit(0);
    }

    private void run(DataSource pool, long listener, int all) throws SQLException {
      WorkerNotifier notifier = WorkerNotifier.over(pool);
      pause();
      for (int number = 0; number < all; number++) {
        String topic = PickupWorker.topic(number);
        commit(topic, QUEUE, number);
        notifier.notifyWorkers(topic);
        pause();
        commit(BARE, BARE, number);
        wake(pool, listener);
        pause();
      }
      commits.forEach(System.out::println);
    }

    private void commit(String topic, String kind, int number) throws SQLException {
      producer.enqueue(connection, NewMessage.of(topic, new Numbered(number)));
      connection.commit();
      commits.add(kind + " " + number + " " + System.nanoTime());
    }

    private static void wake(DataSource pool, long listener) throws SQLException {
      try (Connection other = pool.getConnection();
          Statement statement = other.createStatement()) {
        statement.execute("KILL QUERY " + listener);
      }
    }

    private static void pause() {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_PAUSE, MOST_PAUSE));
    }
  }

  /** The worker's process of {@link Pickup}: ten topics, everything else by default. */
  static final class PickupWorker {

    static final int TOPICS = 10;

    private final Map<Integer, Long> picked = new ConcurrentHashMap<>();

    private PickupWorker() {}

    public static void main(String[] arguments) throws IOException {
      new PickupWorker().run(arguments[0]);
      System.exit(0);
    }

    static String topic(int number) {
      return "pickup" + number % TOPICS;
    }

    private void run(String url) throws IOException {
      List<Module> bindings =
          Stream.iterate(0, topic -> topic < TOPICS, topic -> topic + 1)
              .map(
                  topic ->
                      Bindings.bind(
                          topic(topic), (message, context) -> noted(message, System.nanoTime())))
              .toList();
      Worker worker = Bindings.start(url, bindings);
      Child.ready("ready");
      Child.awaitEnd();
      worker.close();
      picked.forEach(
          (number, nanos) -> System.out.println(PickupProducer.QUEUE + " " + number + " " + nanos));
    }

    private void noted(Numbered message, long nanos) {
      picked.putIfAbsent(message.number(), nanos);
    }
  }
}
