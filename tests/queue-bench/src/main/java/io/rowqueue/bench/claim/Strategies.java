package io.rowqueue.bench.claim;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.claim.ClaimStrategy.Kind;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The four ways to claim, over the same rows. */
public final class Strategies implements Workload {

  private static final int ROWS = 1_000_000;

  @Override
  public String name() {
    return "strategies";
  }

  @Override
  public String what() {
    return "a claim of 100 in each of the four ways";
  }

  @Override
  public void run(Stage stage) throws SQLException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    int rows = stage.messages(ROWS);
    try (Claims claims = new Claims(stage.database())) {
      claims.fillAvailable(rows);
      for (Kind kind : Kind.values()) {
        figures.put(kind.label(), claims.sample(claims.strategy(kind, true)).millis());
      }
    }
    stage
        .report()
        .table(
            Table.of(
                String.format(
                    Locale.ROOT,
                    "ms for a claim of %d out of %,d (load %.1f)",
                    Claims.SIZE,
                    rows,
                    Load.average()),
                figures));
    stage
        .report()
        .chart(
            stage.file("strategies"),
            Chart.bars("A claim of 100, " + stage.server(), "ms", figures));
    figures.forEach(
        (name, each) ->
            stage.report().sample("strategies", Map.of("strategy", name, "millis", each.sorted())));
  }
}
