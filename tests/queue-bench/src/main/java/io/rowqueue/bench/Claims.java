package io.rowqueue.bench;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.internal.WorkerPools;
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

  private static final int SIZE = 100;
  private static final Topic TOPIC = new Topic("cost");
  private static final int REPETITIONS = 11;

  /** The least that is available, and so what others are compared with. */
  private static final int FEW = 10_000;

  private static final int MILLION = 1_000_000;

  private final QueueDatabase database;
  private final LockId me = LockId.create("bench", 1);
  private final List<Injector> injectors = new ArrayList<>();

  private Claims(QueueDatabase database) {
    this.database = database;
    QueueTable.makeDigits(database);
  }

  /** Claims beside a backlog of ten thousand, a million, and five million that are available. */
  static void backlog(Stage stage) throws SQLException {
    ExternalBody external = new ExternalBody(stage);
    try (Claims claims = new Claims(stage.database())) {
      for (int rows : new int[] {FEW, MILLION, 5 * MILLION}) {
        int all = rows == FEW ? FEW : Math.max(FEW, stage.messages(rows));
        claims.fill(all - (int) stage.database().count("SELECT COUNT(*) FROM queue_message"));
        external.measure("%,d available".formatted(all), claims);
      }
    }
    external.report();
  }

  /** The four ways to claim, over the same rows. */
  static void strategies(Stage stage) throws SQLException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    int rows = stage.messages(MILLION);
    try (Claims claims = new Claims(stage.database())) {
      claims.fill(rows);
      for (Kind kind : Kind.values()) {
        figures.put(kind.label(), claims.sample(claims.strategy(kind)));
      }
    }
    stage.figures("ms for a claim of %d out of %,d".formatted(SIZE, rows), "millis", figures);
  }

  private ClaimStrategy strategy(Kind kind) {
    WorkerConfig config =
        WorkerConfig.defaults(database.config())
            .withThreads(1)
            .withClaims(ClaimConfig.defaults().withSettings(new ClaimSettings(kind, true)));
    Injector injector = Guice.createInjector(new WorkerModule(config));
    injectors.add(injector);
    return injector.getInstance(ClaimStrategy.class);
  }

  /** What {@link #REPETITIONS} of them took, in ms. */
  private Figures sample(ClaimStrategy strategy) throws SQLException {
    try (Connection connection = database.connect()) {
      // The first claim opens connections and prepares statements.
      settle(connection, claim(strategy));
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < REPETITIONS; i++) {
        long start = System.nanoTime();
        List<Claim> claims = claim(strategy);
        millis.add((System.nanoTime() - start) / 1e6);
        settle(connection, claims);
      }
      return Figures.of(millis);
    }
  }

  /** Claims and settles {@code rows}, or somewhat more. */
  private int drain(ClaimStrategy strategy, int rows) throws SQLException {
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

  /** Makes the rows on the server: no round trip carries them. */
  private void fill(int rows) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) SELECT '%s', REPEAT('x', 200) FROM digit a, digit b, digit c, digit d, digit e, digit f, digit g LIMIT %d"
            .formatted(TOPIC.name(), rows));
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
  private static final class ExternalBody {
    private static final int DRAINED = 5_000;

    private final Stage stage;
    private final Map<String, List<Effort>> efforts = new LinkedHashMap<>();

    ExternalBody(Stage stage) {
      this.stage = stage;
    }

    /** Measures it beside {@code what}, which is there; so few that it stays what it is. */
    void measure(String what, Claims claims) throws SQLException {
      ClaimStrategy strategy = claims.strategy(Kind.SKIP_LOCKED);
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
      stage.atMost("rows read a message, most to least", spread(reads.values()), 1.1);
      stage.atMost("time a message, most to least", spread(micros.values()), 1.5);
    }

    private static double spread(Collection<Figures> figures) {
      Figures medians = Figures.of(figures, Figures::median);
      return medians.max() / medians.min();
    }
  }
}
