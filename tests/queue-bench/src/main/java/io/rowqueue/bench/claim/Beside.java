package io.rowqueue.bench.claim;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What claiming and deleting the same few thousand messages costs beside different others, which
 * should make no difference. For one thread.
 */
final class Beside {

  /** The least that is available, and so what others are compared with. */
  static final int FEW = 10_000;

  private static final int DRAINED = 5_000;

  private final Stage stage;
  private final String workload;
  private final Map<String, List<Effort>> efforts = new LinkedHashMap<>();

  Beside(Stage stage, String workload) {
    this.stage = stage;
    this.workload = workload;
  }

  /** Measures it beside {@code what}, which is there; so few that it stays what it is. */
  void measure(String what, Claims claims) throws SQLException {
    ClaimStrategy strategy = claims.strategy(Kind.SKIP_LOCKED, true);
    int rows = DRAINED / (stage.rounds() + 1);
    claims.drain(strategy, rows);
    List<Effort> rounds = new ArrayList<>();
    for (int round = 0; round < stage.rounds(); round++) {
      rounds.add(claims.drain(strategy, rows, stage.meter()));
    }
    efforts.put(what, rounds);
  }

  /** All of it. */
  void report() {
    Table table =
        new Table(
            String.format(
                Locale.ROOT,
                "claiming and deleting, a hundred at a time (load %.1f)",
                Load.average()),
            "beside",
            "µs each",
            "server µs each",
            "rows read each",
            "statements each");
    Map<String, Figures> micros = new LinkedHashMap<>();
    Map<String, Figures> reads = new LinkedHashMap<>();
    efforts.forEach(
        (what, rounds) -> {
          micros.put(what, Figures.of(rounds, effort -> 1e6 / effort.perSecond()));
          reads.put(what, Figures.of(rounds, Effort::rowsReadEach));
          table.row(
              what,
              "%.0f".formatted(micros.get(what).median()),
              "%.0f".formatted(Figures.of(rounds, Effort::serverMicrosEach).median()),
              "%.2f".formatted(reads.get(what).median()),
              "%.3f".formatted(Figures.of(rounds, Effort::statementsEach).median()));
          stage
              .report()
              .sample(
                  workload,
                  Map.of(
                      "case",
                      what,
                      "microsEach",
                      micros.get(what).sorted(),
                      "rowsReadEach",
                      reads.get(what).sorted()));
        });
    stage.report().table(table);
    stage
        .report()
        .chart(
            stage.file(workload),
            Chart.bars(
                "Claiming and deleting one message (%s), %s".formatted(workload, stage.server()),
                "µs",
                micros));
    stage
        .report()
        .bar(Bar.atMost("rows read a message, most to least", spread(reads.values()), 1.1));
    stage.report().bar(Bar.atMost("time a message, most to least", spread(micros.values()), 1.5));
  }

  private static double spread(Collection<Figures> figures) {
    Figures medians = Figures.of(figures.stream().map(Figures::median).toList());
    return medians.max() / medians.min();
  }
}
