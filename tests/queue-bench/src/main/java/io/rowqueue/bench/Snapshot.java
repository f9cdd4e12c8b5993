package io.rowqueue.bench;

import io.rowqueue.bench.Claims.Sample;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.NaiveLoop;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Chart;
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
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Claims and drains while a snapshot from before the first message stays open, so that nothing is
 * purged. RowQueue drains all messages, with a new worker for each part; its rivals would take
 * hours, so they drain a few at each point, and the rest of the part is inserted and deleted for
 * them.
 */
final class Snapshot {

  private static final int DRAINED = 500_000;
  private static final int POINTS = 6;
  private static final String WITH = "with the cursor";
  private static final String WITHOUT = "without";
  private static final int PARTS = 5;
  private static final int FEW = 300;

  private static final String BURY_NAIVE =
      "INSERT INTO naive_job (payload) SELECT REPEAT('x', 200) FROM ";
  private static final String BURY_SCHEDULED =
      "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked,"
          + " version) SELECT 'bench', CONCAT('gone-', a.d, b.d, c.d, d.d, e.d, f.d),"
          + " REPEAT('x', 200), CURRENT_TIMESTAMP(6) - INTERVAL 1 DAY, 0, 1 FROM ";
  private static final String ROWS = "digit a, digit b, digit c, digit d, digit e, digit f LIMIT ";

  private final Stage stage;
  private final QueueDatabase database;
  private final int part;

  /** Over the messages drained so far. */
  private final Map<String, TreeMap<Double, Double>> lines = new LinkedHashMap<>();

  private Snapshot(Stage stage) {
    this.stage = stage;
    this.database = stage.database();
    this.part = stage.messages(DRAINED) / PARTS;
  }

  static void run(Stage stage) throws Exception {
    new Snapshot(stage).claims();
    new Snapshot(stage).drains();
  }

  private void claims() throws SQLException {
    int end = stage.messages(DRAINED);
    try (Claims claims = new Claims(database)) {
      claims.fillAvailable(end + 2 * end / POINTS + 50 * Claims.SIZE);
      try (Connection snapshot = open()) {
        measure(claims, end);
        snapshot.rollback();
      }
    }
    database.execute("DELETE FROM queue_message");
    report("ms for a claim of 100 beside an old snapshot", "drained so far", "%.1f");
    stage.chart(
        "snapshot",
        Chart.lines(
            "A claim of 100 beside an old snapshot", "messages drained since", "ms", lines));
    stage.atMost("a claim at the end to one at the start", lastToFirst(WITH), 1.5);
  }

  /** One that sees nothing of what is committed from now on. */
  private Connection open() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }
    return connection;
  }

  /** Every point measures both ways on the same rows; the drain in between uses the cursor. */
  private void measure(Claims claims, int end) throws SQLException {
    ClaimStrategy cursor = claims.strategy(Kind.SKIP_LOCKED, true);
    ClaimStrategy plain = claims.strategy(Kind.SKIP_LOCKED, false);
    TreeMap<Double, Double> with = new TreeMap<>();
    TreeMap<Double, Double> without = new TreeMap<>();
    int drained = 0;
    for (int point = 0; point <= POINTS; point++) {
      drained += claims.drain(cursor, point * (end / POINTS) - drained);
      Sample one = claims.sample(cursor);
      Sample other = claims.sample(plain);
      drained += one.rows() + other.rows();
      with.put((double) drained, one.millis().median());
      without.put((double) drained, other.millis().median());
    }
    lines.put(WITH, with);
    lines.put(WITHOUT, without);
  }

  private void drains() throws Exception {
    QueueTable.makeDigits(database);
    Drainer ours =
        RowQueueDrainer.single("RowQueue", database, Effect.NONE, HandlerSettings.defaults());
    // What is compiled while it is measured would make the first part dear.
    ours.round(stage.meter(), part);
    measure(ours, part, () -> {});
    try (Drainer naive = new NaiveLoop(database, Effect.NONE);
        Drainer scheduler = new DbSchedulerDrainer(database, Effect.NONE)) {
      measure(naive, FEW, () -> bury(BURY_NAIVE, "naive_job"));
      measure(scheduler, FEW, () -> bury(BURY_SCHEDULED, "scheduled_tasks"));
    }
    report("server µs for a message beside an old snapshot", "drained before", "%,.0f");
    stage.chart(
        "snapshot-drain",
        Chart.lines(
            "Draining beside an old snapshot",
            "messages drained before",
            "server µs for a message",
            lines));
    stage.atMost(
        "server CPU for a message at the end to the start's", lastToFirst(ours.name()), 1.5);
  }

  /** Each contender has a snapshot of its own, and what was deleted before it is purged. */
  private void measure(Drainer drainer, int messages, Runnable bury) throws Exception {
    TreeMap<Double, Double> line = new TreeMap<>();
    try (Connection snapshot = open()) {
      for (int i = 0; i < PARTS; i++) {
        double before = (double) i * part;
        line.put(before, drainer.round(stage.meter(), messages).serverMicrosEach());
        bury.run();
      }
      snapshot.rollback();
    }
    lines.put(drainer.name(), line);
  }

  /** Makes a part's worth of rows that are deleted and cannot be purged. */
  private void bury(String insert, String table) {
    database.execute(insert + ROWS + part, "DELETE FROM " + table);
  }

  private void report(String title, String x, String format) {
    List<String> head = new ArrayList<>(List.of(x));
    head.addAll(lines.keySet());
    Table table = new Table(Stage.loaded(title), head.toArray(String[]::new));
    for (Double drained : lines.values().iterator().next().keySet()) {
      List<String> cells = new ArrayList<>(List.of("%,.0f".formatted(drained)));
      lines.values().forEach(line -> cells.add(format.formatted(line.get(drained))));
      table.row(cells.toArray(String[]::new));
    }
    stage.table(table);
    stage.sample(lines);
  }

  private double lastToFirst(String name) {
    TreeMap<Double, Double> line = Objects.requireNonNull(lines.get(name));
    return line.lastEntry().getValue() / line.firstEntry().getValue();
  }
}
