package io.rowqueue.bench.pickup;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.tests.process.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The time from a COMMIT in one process to the first line of the handler in another, whose worker
 * is idle and has ten topics; beside it, in turn with it, the least that a ring and a claim can
 * cost in plain JDBC. Three processes of one host: their clocks, {@link System#nanoTime()}, are the
 * same one on Linux.
 */
public final class Pickup implements Workload {

  static final int SAMPLES = 1_000;

  /**
   * Left out: the processes have just started, and their code is compiled after some thousand
   * calls; a worker is up for days.
   */
  static final int WARM_UP = 2_000;

  @Override
  public String name() {
    return "pickup";
  }

  @Override
  public String what() {
    return "from a COMMIT in one process to an idle worker's handler in another";
  }

  @Override
  public void run(Stage stage) throws IOException {
    String url = stage.database().url();
    double load = Load.average();
    try (Child worker = Child.start(PickupWorker.class, url);
        Child bare = Child.start(BareClaimer.class, url)) {
      worker.awaitReady();
      String listener = bare.awaitReady();
      try (Child producer = Child.start(PickupProducer.class, url, listener)) {
        producer.awaitReady();
        List<String> commits = producer.rest();
        report(
            stage,
            load,
            waits(PickupProducer.QUEUE, commits, worker.end()),
            waits(PickupProducer.BARE, commits, bare.end()));
      }
    }
  }

  private static void report(Stage stage, double load, Figures queue, Figures floor) {
    Map<String, Figures> figures = new LinkedHashMap<>();
    figures.put("to the handler's first line", queue);
    figures.put("to the end of a bare ring and claim", floor);
    String title = String.format(Locale.ROOT, "ms from the COMMIT (load %.1f)", load);
    stage.report().table(Table.of(title, figures));
    stage
        .report()
        .chart(
            stage.file("pickup"), Chart.bars("Pickup, " + stage.server(), "ms, median", figures));
    figures.forEach(
        (what, each) ->
            stage
                .report()
                .sample(
                    "pickup", Map.of("contender", what, "load", load, "millis", each.sorted())));
    stage.report().bar(Bar.atMost("median in ms", queue.median(), 3));
    stage.report().bar(Bar.atMost("p99 to the bare one's", queue.at(0.99) / floor.at(0.99), 3));
  }

  /** Joins when each message was committed with when it was picked up. */
  private static Figures waits(String kind, List<String> commits, List<String> pickups) {
    Map<Integer, Long> committed = times(kind, commits);
    Map<Integer, Long> picked = times(kind, pickups);
    List<Double> millis = new ArrayList<>();
    for (int number = WARM_UP; number < WARM_UP + SAMPLES; number++) {
      Long from = committed.get(number);
      Long to = picked.get(number);
      if (from == null || to == null) {
        throw new IllegalStateException("message %d of %s is missing".formatted(number, kind));
      }
      millis.add((to - from) / 1e6);
    }
    return Figures.of(millis);
  }

  /** Lines of kind, number and nanoseconds. */
  private static Map<Integer, Long> times(String kind, List<String> lines) {
    return lines.stream()
        .map(line -> line.split(" ", -1))
        .filter(words -> words[0].equals(kind))
        .collect(
            Collectors.toMap(words -> Integer.valueOf(words[1]), words -> Long.valueOf(words[2])));
  }
}
