package io.rowqueue.bench.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How a contest ended.
 *
 * @param efforts of each contender, in the order of the rounds
 */
public record Standing(String title, Map<String, List<Effort>> efforts) {

  /** One figure of one contender. */
  public Figures figures(Contender contender, ToDoubleFunction<Effort> figure) {
    return figures(contender.name(), figure);
  }

  private Figures figures(String name, ToDoubleFunction<Effort> figure) {
    return Figures.of(efforts.getOrDefault(name, List.of()), figure);
  }

  /** The ratio of two medians. */
  public double ratio(Contender one, Contender other, ToDoubleFunction<Effort> figure) {
    return figures(one, figure).median() / figures(other, figure).median();
  }

  /** The ratio of two rates. */
  public double rate(Contender one, Contender other) {
    return ratio(one, other, Effort::perSecond);
  }

  /** All of it, each rate as a share of {@code floor}'s too. */
  Table table(Contender floor) {
    Table table =
        new Table(
            Stage.loaded(title),
            "",
            "messages/s",
            "min",
            "max",
            "of the floor",
            "server µs each",
            "client µs each",
            "statements each",
            "lock waits each",
            "deadlocks");
    double unit = figures(floor, Effort::perSecond).median();
    efforts.keySet().forEach(name -> row(table, name, unit));
    return table;
  }

  private void row(Table table, String name, double unit) {
    Figures rate = figures(name, Effort::perSecond);
    table.row(
        name,
        "%,.0f".formatted(rate.median()),
        "%,.0f".formatted(rate.min()),
        "%,.0f".formatted(rate.max()),
        "%.2f".formatted(rate.median() / unit),
        "%.0f".formatted(figures(name, Effort::serverMicrosEach).median()),
        "%.0f".formatted(figures(name, Effort::clientMicrosEach).median()),
        "%.2f".formatted(figures(name, Effort::statementsEach).median()),
        "%.3f".formatted(figures(name, Effort::lockWaitsEach).median()),
        "%.0f".formatted(figures(name, effort -> effort.deadlocks()).max()));
  }

  /** The rates. */
  public Chart chart() {
    Map<String, Figures> rates = new LinkedHashMap<>();
    efforts.keySet().forEach(name -> rates.put(name, figures(name, Effort::perSecond)));
    return Chart.bars(title, "messages/s", rates);
  }
}
