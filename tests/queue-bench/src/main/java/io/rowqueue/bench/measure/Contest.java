package io.rowqueue.bench.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Lets several contenders take turns. For one thread. */
public final class Contest {

  private final Stage stage;
  private final String workload;
  private final String title;
  private final int messages;

  /**
   * A contest.
   *
   * @param workload whose it is, in samples
   * @param title in samples and tables
   * @param messages how many each has in a round, but for those that ask for fewer
   */
  public Contest(Stage stage, String workload, String title, int messages) {
    this.stage = stage;
    this.workload = workload;
    this.title = title;
    this.messages = messages;
  }

  /** The first rounds warm up, and do not count; who begins changes with each. */
  public Standing run(List<? extends Contender> contenders) throws Exception {
    Map<String, List<Effort>> efforts = new LinkedHashMap<>();
    List<Contender> order = new ArrayList<>(contenders);
    for (int round = 1 - stage.warmUps(); round <= stage.rounds(); round++) {
      for (Contender contender : order) {
        Effort effort = contender.round(stage.meter(), messages / contender.fewer());
        if (round > 0) {
          efforts.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(effort);
          note(contender.name(), round, effort);
        }
      }
      Collections.rotate(order, -1);
    }
    return new Standing(title, efforts);
  }

  /** The same; shows each rate as a share of {@code plain}'s, too, and closes all of them. */
  public Standing show(Contender plain, List<? extends Contender> contenders) throws Exception {
    try {
      Standing end = run(contenders);
      stage.report().table(end.table(plain, Load.average()));
      return end;
    } finally {
      contenders.forEach(Contender::close);
    }
  }

  private void note(String name, int round, Effort effort) {
    Map<String, Object> sample = new LinkedHashMap<>();
    sample.put("case", title);
    sample.put("contender", name);
    sample.put("round", round);
    sample.put("messages", effort.messages());
    sample.put("perSecond", effort.perSecond());
    sample.put("serverMicrosEach", effort.serverMicrosEach());
    sample.put("clientMicrosEach", effort.clientMicrosEach());
    sample.put("statementsEach", effort.statementsEach());
    sample.put("rowsReadEach", effort.rowsReadEach());
    sample.put("lockWaitsEach", effort.lockWaitsEach());
    sample.put("deadlocks", effort.deadlocks());
    sample.put("load", Load.average());
    stage.report().sample(workload, sample);
  }

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
      return Figures.of(
          efforts.getOrDefault(name, List.of()).stream().mapToDouble(figure).boxed().toList());
    }

    /** The ratio of two medians. */
    public double ratio(Contender one, Contender other, ToDoubleFunction<Effort> figure) {
      return figures(one, figure).median() / figures(other, figure).median();
    }

    /** All of it, each rate as a share of {@code floor}'s too. */
    public Table table(Contender floor, double load) {
      Table table =
          new Table(
              String.format(Locale.ROOT, "%s (load %.1f)", title, load),
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
    public Chart chart(String server) {
      Map<String, Figures> rates = new LinkedHashMap<>();
      efforts.keySet().forEach(name -> rates.put(name, figures(name, Effort::perSecond)));
      return Chart.bars(title + ", " + server, "messages/s", rates);
    }
  }
}
