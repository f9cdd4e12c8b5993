package io.rowqueue.bench.pickup;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.tests.process.Child;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What a worker with ten topics and the defaults asks of the server while there is nothing. */
public final class Idle implements Workload {

  /** Its connections open, and its looks grow rare. */
  private static final int SETTLE_SECONDS = 5;

  private static final int SECONDS = 60;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public String what() {
    return "statements a second of a worker with nothing to do, and the server's CPU for them";
  }

  @Override
  public void run(Stage stage) throws IOException {
    try (Child worker = Child.start(PickupWorker.class, stage.database().url())) {
      worker.awaitReady();
      pause(SETTLE_SECONDS);
      Effort nothing = over(stage);
      double each = nothing.statements() / nothing.seconds();
      double cpu = nothing.serverSeconds() / nothing.seconds();
      stage
          .report()
          .table(
              new Table(
                      String.format(
                          Locale.ROOT, "an idle worker, ten topics (load %.1f)", Load.average()),
                      "what",
                      "in a second")
                  .row("statements", String.format(Locale.ROOT, "%.2f", each))
                  .row("rows read", "%.1f".formatted(nothing.rowsRead() / nothing.seconds()))
                  .row("server CPU, ms", String.format(Locale.ROOT, "%.2f", 1_000 * cpu)));
      stage
          .report()
          .sample("idle", Map.of("statementsASecond", each, "serverCpuMillisASecond", 1_000 * cpu));
      stage
          .report()
          .chart(
              stage.file("idle"),
              Chart.bars(
                  "An idle worker, " + stage.server(),
                  "in a second",
                  new TreeMap<>(
                      Map.of(
                          "statements", Figures.of(List.of(each)),
                          "server CPU, ms", Figures.of(List.of(1_000 * cpu))))));
      stage.report().bar(Bar.atMost("statements a second", each, 2));
      worker.end();
    }
  }

  private static Effort over(Stage stage) {
    Mark from = stage.meter().mark();
    pause(SECONDS);
    return stage.meter().since(from, 1);
  }

  private static void pause(int seconds) {
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
  }
}
