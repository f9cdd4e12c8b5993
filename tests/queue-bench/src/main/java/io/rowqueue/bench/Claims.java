package io.rowqueue.bench;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Chart;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Claims of 100 on the calling thread, as the worker's claimer makes them, each settled at once
 * outside of the measure. For one thread.
 */
final class Claims implements AutoCloseable {

  static final int SIZE = 100;
  private static final Topic TOPIC = new Topic("cost");
  private static final int REPETITIONS = 11;

  /** The least that is available, and so what others are compared with. */
  private static final int FEW = 10_000;

  private static final int MILLION = 1_000_000;

  private final QueueDatabase database;
  private final LockId me = LockId.create("bench", 1);
  private final List<Injector> injectors = new ArrayList<>();

  Claims(QueueDatabase database) {
    this.database = database;
    QueueTable.makeDigits(database);
  }

  /** Claims beside a backlog of ten thousand, a million, and five million that are available. */
  static void backlog(Stage stage) throws SQLException {
    Beside beside = new Beside(stage);
    try (Claims claims = new Claims(stage.database())) {
      for (int rows : new int[] {FEW, MILLION, 5 * MILLION}) {
        int all = rows == FEW ? FEW : Math.max(FEW, stage.messages(rows));
        claims.fillAvailable(
            all - (int) stage.database().count("SELECT COUNT(*) FROM queue_message"));
        beside.measure("%,d available".formatted(all), claims);
      }
    }
    beside.report();
  }

  /** Claims beside a million messages that are not to be claimed: scheduled, dead or archived. */
  static void scheduled(Stage stage) throws SQLException {
    int many = stage.messages(MILLION);
    Beside beside = new Beside(stage);
    try (Claims claims = new Claims(stage.database())) {
      claims.fillAvailable(FEW);
      beside.measure("nothing", claims);
      claims.empty();
      claims.fill(many, "2, UTC_TIMESTAMP(6) + INTERVAL 1 DAY");
      claims.fillAvailable(FEW);
      beside.measure("%,d scheduled".formatted(many), claims);
      claims.empty();
      claims.settled(many);
      claims.fillAvailable(FEW);
      beside.measure("%,d dead letters, and as many archived".formatted(many), claims);
    }
    beside.report();
  }

  /** The four ways to claim, over the same rows. */
  static void strategies(Stage stage) throws SQLException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    int rows = stage.messages(MILLION);
    try (Claims claims = new Claims(stage.database())) {
      claims.fillAvailable(rows);
      for (Kind kind : Kind.values()) {
        figures.put(kind.label(), claims.sample(claims.strategy(kind, true)).millis());
      }
    }
    stage.figures("ms for a claim of %d out of %,d".formatted(SIZE, rows), "millis", figures);
    stage.chart("strategies", Chart.bars("A claim of 100", "ms", figures));
  }

  ClaimStrategy strategy(Kind kind, boolean cursor) {
    WorkerConfig config =
        WorkerConfig.defaults(database.config())
            .withThreads(1)
            .withClaims(ClaimConfig.defaults().withSettings(new ClaimSettings(kind, cursor)));
    Injector injector = Guice.createInjector(new WorkerModule(config));
    injectors.add(injector);
    return injector.getInstance(ClaimStrategy.class);
  }

  /** What {@link #REPETITIONS} of them took, in ms. */
  record Sample(Figures millis, int rows) {}

  Sample sample(ClaimStrategy strategy) throws SQLException {
    try (Connection connection = database.connect()) {
      // The first claim opens connections and prepares statements.
      int rows = settle(connection, claim(strategy));
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < REPETITIONS; i++) {
        long start = System.nanoTime();
        List<Claim> claims = claim(strategy);
        millis.add((System.nanoTime() - start) / 1e6);
        rows += settle(connection, claims);
      }
      return new Sample(Figures.of(millis), rows);
    }
  }

  /** Claims and settles {@code rows}, or somewhat more. */
  int drain(ClaimStrategy strategy, int rows) throws SQLException {
    int drained = 0;
    try (Connection connection = database.connect()) {
      while (drained < rows) {
        int settled = settle(connection, claim(strategy));
        if (settled == 0) {
          throw new IllegalStateException("the queue ended after " + drained + " of " + rows);
        }
        drained += settled;
      }
    }
    return drained;
  }

  private List<Claim> claim(ClaimStrategy strategy) {
    return strategy.claim(new ClaimRequest(TOPIC, me, SIZE, 1));
  }

  private static int settle(Connection connection, List<Claim> claims) throws SQLException {
    if (claims.isEmpty()) {
      return 0;
    }
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(
          claims.stream()
              .map(claim -> claim.id().toString())
              .collect(
                  Collectors.joining(
                      ",",
                      "DELETE m FROM queue_message m FORCE INDEX (PRIMARY) WHERE m.id IN (",
                      ")")));
    }
  }

  void fillAvailable(int rows) {
    fill(rows, "0, UTC_TIMESTAMP(6)");
  }

  /** Makes the rows on the server: no round trip carries them. */
  private void fill(int rows, String stateAndDue) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, due_at) SELECT '%s', REPEAT('x', 200), %s FROM digit a, digit b, digit c, digit d, digit e, digit f, digit g LIMIT %d"
            .formatted(TOPIC.name(), stateAndDue, rows));
  }

  /** Dead letters and archived messages, so many of each, made on the server. */
  private void settled(int rows) {
    String insert =
        """
        INSERT INTO %s (id, topic, priority, claims, attempts, lost, worker, due_at, created_at,
            payload, %s)
          SELECT 1000000000 + a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d,
              'cost', 0, 1, 1, 0, 'bench', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), REPEAT('x', 200), %s
            FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT %d
        """;
    database.execute(
        insert.formatted(
            "queue_dead_letter",
            "reason, detail, dead_at",
            "'attempts-exhausted', '', UTC_TIMESTAMP(6)",
            rows),
        insert.formatted(
            "queue_archive", "settled_day, settled_at", "UTC_DATE(), UTC_TIMESTAMP(6)", rows));
  }

  private void empty() {
    database.execute("DELETE FROM queue_message");
  }

  /** The schema is dropped by whoever created it; the connections are closed here. */
  @Override
  public void close() {
    injectors.forEach(injector -> injector.getInstance(WorkerPools.class).close());
  }

  /**
   * What claiming and deleting the same few thousand messages costs beside different others, which
   * should make no difference. For one thread.
   */
  private static final class Beside {
    private static final int DRAINED = 5_000;

    private final Stage stage;
    private final Map<String, List<Effort>> efforts = new LinkedHashMap<>();

    Beside(Stage stage) {
      this.stage = stage;
    }

    /** Measures it beside {@code what}, which is there; so few that it stays what it is. */
    void measure(String what, Claims claims) throws SQLException {
      ClaimStrategy strategy = claims.strategy(Kind.SKIP_LOCKED, true);
      int rows = DRAINED / (stage.rounds() + 1);
      claims.drain(strategy, rows);
      List<Effort> rounds = new ArrayList<>();
      for (int round = 0; round < stage.rounds(); round++) {
        Mark from = stage.meter().mark();
        rounds.add(stage.meter().since(from, claims.drain(strategy, rows)));
      }
      efforts.put(what, rounds);
    }

    void report() {
      Table table =
          new Table(
              Stage.loaded("claiming and deleting, a hundred at a time"),
              "beside",
              "µs each",
              "server µs each",
              "rows read each",
              "statements each");
      Map<String, Figures> micros = new LinkedHashMap<>();
      Map<String, Figures> reads = new LinkedHashMap<>();
      efforts.forEach(
          (what, rounds) -> {
            Figures time = Figures.of(rounds, effort -> 1e6 / effort.perSecond());
            Figures read = Figures.of(rounds, Effort::rowsReadEach);
            micros.put(what, time);
            reads.put(what, read);
            table.row(
                what,
                "%.0f".formatted(time.median()),
                "%.0f".formatted(Figures.of(rounds, Effort::serverMicrosEach).median()),
                "%.2f".formatted(read.median()),
                "%.3f".formatted(Figures.of(rounds, Effort::statementsEach).median()));
            stage.sample(
                Map.of("case", what, "microsEach", time.sorted(), "rowsReadEach", read.sorted()));
          });
      stage.table(table);
      stage.chart(
          stage.workload(),
          Chart.bars(
              "Claiming and deleting one message (%s)".formatted(stage.workload()), "µs", micros));
      stage.atMost("rows read a message, most to least", spread(reads.values()), 1.1);
      stage.atMost("time a message, most to least", spread(micros.values()), 1.5);
    }

    private static double spread(Collection<Figures> figures) {
      Figures medians = Figures.of(figures, Figures::median);
      return medians.max() / medians.min();
    }
  }
}
