package io.rowqueue.bench.claim;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.claim.Claims.Sample;
import io.rowqueue.bench.drain.SnapshotDrain;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Claims while a snapshot from before the first message stays open, so that nothing is purged. */
public final class Snapshot implements Workload {

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
}
