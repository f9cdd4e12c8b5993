package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.drain.Scraper.Pace;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.handle.HandlerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * What it costs that a worker is watched: with an admin port and an open dashboard, with both asked
 * each second, and without a port. Without one takes part twice, so that the run tells its own
 * noise.
 */
public final class Observed implements Workload {

  // So many that a round takes several seconds: a look each second has to meet some of them.
  private static final int SINGLE = 40_000;
  private static final int SHARED = 160_000;
  private static final int GROUPED = 200_000;

  @Override
  public String name() {
    return "observed";
  }

  @Override
  public String what() {
    return "messages handled a second with a dashboard open and metrics on, and with no port";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    measure(stage, "a COMMIT each", alone, SINGLE);
    measure(stage, "shared commits", alone.withSharedCommit(), SHARED);
    measure(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
  }

  private static void measure(Stage stage, String how, HandlerSettings settings, int messages)
      throws Exception {
    Contender off = drainer(stage, "nobody watches", settings);
    Contender again = drainer(stage, "nobody watches, again", settings);
    Contender on = drainer(stage, "watched", settings).beside(List.of(Scraper.at(Pace.USUAL)));
    Contender hurried =
        drainer(stage, "watched each second", settings).beside(List.of(Scraper.at(Pace.HURRIED)));
    List<Contender> nobody = List.of(off, again);
    long before = Scraper.scrapes();
    Standing end =
        new Contest(stage, "observed", "observed, " + how, stage.scaled(messages, 200))
            .show(off, List.of(off, on, again, hurried));
    Map<String, Figures> ratios = new LinkedHashMap<>();
    ratios.put("watched: rate", ratios(end, on, nobody, Effort::perSecond));
    ratios.put("watched: µs", ratios(end, on, nobody, Observed::micros));
    ratios.put("watched each second: rate", ratios(end, hurried, nobody, Effort::perSecond));
    ratios.put("watched each second: µs", ratios(end, hurried, nobody, Observed::micros));
    ratios.put("nobody watches, again: rate", ratios(end, again, List.of(off), Effort::perSecond));
    ratios.put("nobody watches, again: µs", ratios(end, again, List.of(off), Observed::micros));
    stage.report().table(Table.of("observed, " + how + ": to nobody's, by round", ratios));
    stage.report().note("%,d pages were fetched".formatted(Scraper.scrapes() - before));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "observed, " + how + ": rate watched to unwatched, by round",
                Objects.requireNonNull(ratios.get("watched: rate")).median(),
                0.98));
  }

  /** Processor time for a message, of server and worker: what bounds the rate, and less noisy. */
  private static double micros(Effort effort) {
    return effort.serverMicrosEach() + effort.clientMicrosEach();
  }

  private static RowQueueDrainer drainer(Stage stage, String name, HandlerSettings settings) {
    return RowQueueDrainer.doing(
        name, new QueueTable(stage.database()), settings, (work, context) -> {});
  }

  /**
   * Of each round, to the mean of {@code others}: turns change round by round, so that drifts
   * cancel.
   */
  private static Figures ratios(
      Standing end, Contender one, List<Contender> others, ToDoubleFunction<Effort> figure) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < efforts(end, one).size(); i++) {
      int round = i;
      double base =
          others.stream()
              .mapToDouble(other -> figure.applyAsDouble(efforts(end, other).get(round)))
              .average()
              .orElseThrow();
      ratios.add(figure.applyAsDouble(efforts(end, one).get(round)) / base);
    }
    return Figures.of(ratios);
  }

  private static List<Effort> efforts(Standing end, Contender contender) {
    return Objects.requireNonNull(end.efforts().get(contender.name()));
  }
}
