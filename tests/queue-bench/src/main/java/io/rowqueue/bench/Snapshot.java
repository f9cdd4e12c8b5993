package io.rowqueue.bench;

import io.rowqueue.bench.Claims.Sample;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.NaiveLoop;
import io.rowqueue.bench.measure.Chart;
import io.rowqueue.bench.measure.Digits;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Claims while a snapshot from before the first message stays open, so that nothing is purged. */
final class Snapshot implements Workload {

  private static final int DRAINED = 500_000;
  private static final int POINTS = 6;
  private static final String WITH = "with the cursor";
  private static final String WITHOUT = "without";

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public String what() {
    return "claims and drains while an old snapshot stays open, beside rivals";
  }

  @Override
  public void run(Stage stage) throws Exception {
    claims(stage);
    SnapshotDrain.run(stage);
  }

  private static void claims(Stage stage) throws SQLException {
    Lines lines = new Lines(new TreeMap<>(), new TreeMap<>());
    try (Claims claims = new Claims(stage.database());
        Connection connection = stage.database().connect();
        Statement statement = connection.createStatement()) {
      int end = stage.messages(DRAINED);
      claims.fillAvailable(end + 2 * end / POINTS + 50 * Claims.SIZE);
      statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
      measure(claims, end, lines);
      statement.execute("ROLLBACK");
    }
    stage.database().execute("DELETE FROM queue_message");
    report(stage, lines);
  }

  /** Every point measures both ways on the same rows; the drain in between uses the cursor. */
  private static void measure(Claims claims, int end, Lines lines) throws SQLException {
    ClaimStrategy cursor = claims.strategy(Kind.SKIP_LOCKED, true);
    ClaimStrategy plain = claims.strategy(Kind.SKIP_LOCKED, false);
    int drained = 0;
    for (int point = 0; point <= POINTS; point++) {
      drained += claims.drain(cursor, point * (end / POINTS) - drained);
      Sample with = claims.sample(cursor);
      Sample without = claims.sample(plain);
      drained += with.rows() + without.rows();
      lines.with.put((double) drained, with.millis().median());
      lines.without.put((double) drained, without.millis().median());
    }
  }

  private static void report(Stage stage, Lines lines) {
    Table table =
        new Table(
            String.format(
                Locale.ROOT,
                "ms for a claim of %d beside an old snapshot (load %.1f)",
                Claims.SIZE,
                Load.average()),
            "drained so far",
            WITH,
            WITHOUT);
    lines.with.forEach(
        (drained, millis) ->
            table.row(
                "%,.0f".formatted(drained),
                "%.1f".formatted(millis),
                "%.1f".formatted(lines.without.get(drained))));
    stage.report().table(table);
    Map<String, Map<Double, Double>> named = new LinkedHashMap<>();
    named.put(WITH, lines.with);
    named.put(WITHOUT, lines.without);
    stage.report().sample("snapshot", named);
    stage
        .report()
        .chart(
            stage.file("snapshot"),
            Chart.lines(
                "A claim of 100 beside an old snapshot, " + stage.server(),
                "messages drained since",
                "ms",
                named));
    stage
        .report()
        .bar(
            Bar.atMost(
                "a claim at the end to one at the start",
                lines.with.lastEntry().getValue() / lines.with.firstEntry().getValue(),
                1.5));
  }

  /** Medians over the messages drained so far. */
  private record Lines(TreeMap<Double, Double> with, TreeMap<Double, Double> without) {}

  /**
   * What a message costs the server while an old snapshot stays open, so that the rows of all that
   * was drained stay where they are. RowQueue drains them all, with a new worker for each part; its
   * rivals would take hours, so they drain a few at each point, and the rest of the part is
   * inserted and deleted for them.
   */
  static final class SnapshotDrain {

    private static final int DRAINED = 500_000;
    private static final int PARTS = 5;

    /** Of a rival, at each point. */
    private static final int FEW = 300;

    private static final int THREADS = RowQueueDrainer.THREADS;

    private static final String BURY_NAIVE =
        "INSERT INTO naive_job (payload) SELECT REPEAT('x', 200) FROM ";
    private static final String BURY_SCHEDULED =
        "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked,"
            + " version) SELECT 'bench', CONCAT('gone-', a.d, b.d, c.d, d.d, e.d, f.d),"
            + " REPEAT('x', 200), CURRENT_TIMESTAMP(6) - INTERVAL 1 DAY, 0, 1 FROM ";
    private static final String ROWS =
        "digit a, digit b, digit c, digit d, digit e, digit f LIMIT ";

    private final Stage stage;
    private final QueueDatabase database;
    private final int part;
    private final Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();

    private SnapshotDrain(Stage stage) {
      this.stage = stage;
      this.database = stage.database();
      this.part = stage.messages(DRAINED) / PARTS;
    }

    /** Measures and reports it. */
    public static void run(Stage stage) throws Exception {
      new SnapshotDrain(stage).run();
    }

    private void run() throws Exception {
      Digits.prepare(database);
      Drainer ours =
          RowQueueDrainer.single("RowQueue", database, Effect.NONE, HandlerSettings.defaults());
      // What is compiled while it is measured would make the first part dear.
      ours.round(stage.meter(), part);
      measure(ours, part, () -> {});
      try (Drainer naive = new NaiveLoop(database, THREADS, Effect.NONE);
          Drainer scheduler = new DbSchedulerDrainer(database, THREADS, Effect.NONE)) {
        measure(naive, FEW, () -> bury(BURY_NAIVE, "naive_job"));
        measure(scheduler, FEW, () -> bury(BURY_SCHEDULED, "scheduled_tasks"));
      }
      report(ours);
    }

    /** Each contender has a snapshot of its own, and what was deleted before it is purged. */
    private void measure(Drainer drainer, int messages, Burial others) throws Exception {
      Map<Double, Double> line = new TreeMap<>();
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        for (int i = 0; i < PARTS; i++) {
          double before = (double) i * part;
          line.put(before, drainer.round(stage.meter(), messages).serverMicrosEach());
          others.bury();
        }
        statement.execute("ROLLBACK");
      }
      lines.put(drainer.name(), line);
    }

    private void bury(String insert, String table) {
      database.execute(insert + ROWS + part, "DELETE FROM " + table);
    }

    private void report(Drainer ours) {
      List<String> head = new ArrayList<>(List.of("drained before"));
      head.addAll(lines.keySet());
      Table table =
          new Table(
              String.format(
                  Locale.ROOT,
                  "server µs for a message beside an old snapshot (load %.1f)",
                  Load.average()),
              head.toArray(String[]::new));
      TreeMap<Double, Double> line = new TreeMap<>(Objects.requireNonNull(lines.get(ours.name())));
      line.keySet().forEach(drained -> table.row(row(drained)));
      stage.report().table(table);
      stage.report().sample("snapshot", lines);
      stage
          .report()
          .chart(
              stage.file("snapshot-drain"),
              Chart.lines(
                  "Draining beside an old snapshot, " + stage.server(),
                  "messages drained before",
                  "server µs for a message",
                  lines));
      stage
          .report()
          .bar(
              Bar.atMost(
                  "server CPU for a message at the end to the start's",
                  line.lastEntry().getValue() / line.firstEntry().getValue(),
                  1.5));
    }

    private String[] row(Double drained) {
      List<String> cells = new ArrayList<>(List.of("%,.0f".formatted(drained)));
      lines.values().forEach(line -> cells.add("%,.0f".formatted(line.get(drained))));
      return cells.toArray(String[]::new);
    }

    /** Makes a part's worth of rows that are deleted and cannot be purged. */
    @FunctionalInterface
    private interface Burial {
      void bury() throws SQLException;
    }
  }
}
