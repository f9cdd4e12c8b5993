package io.rowqueue.bench.measure;

import io.rowqueue.bench.measure.Figures.Effort;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** One way to do something with messages. For one thread. */
public interface Contender extends AutoCloseable {

  String name();

  /** Does it once with so many messages; leaves nothing behind that the next round would meet. */
  Effort round(Meter meter, int messages) throws Exception;

  /**
   * How many times fewer messages it gets in a round, so that slow ones do not take most of a run's
   * time; rates and costs are those of one message anyway.
   */
  default int fewer() {
    return 1;
  }

  @Override
  default void close() {}

  /**
   * Another's turns, with something before and after each that is not measured; {@code after} also
   * runs after a turn that fails.
   */
  record Prepared(Contender contender, Step before, Step after) implements Contender {

    @Override
    public String name() {
      return contender.name();
    }

    @Override
    public Effort round(Meter meter, int messages) throws Exception {
      before.run(messages);
      try {
        return contender.round(meter, messages);
      } finally {
        after.run(messages);
      }
    }

    @Override
    public void close() {
      contender.close();
    }

    /** What is not measured. */
    @FunctionalInterface
    public interface Step {

      /** Comes before or behind a turn of so many messages. */
      void run(int messages) throws Exception;
    }
  }

  /** How a contest ended. */
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

    /** All of it, each rate as a share of {@code baseline}'s too. */
    Table table(Contender baseline) {
      Table table =
          new Table(
              Stage.loaded(title),
              "",
              "messages/s",
              "min",
              "max",
              "of the baseline",
              "server µs each",
              "client µs each",
              "statements each",
              "lock waits each",
              "deadlocks");
      double unit = figures(baseline, Effort::perSecond).median();
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
}
