package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What it costs to keep what handlers give back, and how soon it is awaited. */
public final class ResultDrain implements Workload {

  private static final int SINGLE = 40_000;
  private static final int GROUPED = 100_000;
  private static final int WAITS = 1_000;

  /** 200 bytes of JSON. */
  private static final String RESULT = "r".repeat(198);

  private static final Duration KEPT = Duration.ofHours(1);

  @Override
  public String name() {
    return "results";
  }

  @Override
  public String what() {
    return "messages handled a second with their results kept, and waits for them";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    drain(stage, "a COMMIT each", alone, SINGLE);
    drain(stage, "shared commits", alone.withSharedCommit(), SINGLE);
    drain(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
    waits(stage);
  }

  private static void drain(Stage stage, String how, HandlerSettings settings, int messages)
      throws Exception {
    QueueDatabase database = stage.database();
    Drainer dropped = RowQueueDrainer.giving("RowQueue, dropped", database, RESULT, settings);
    Drainer kept =
        RowQueueDrainer.giving("RowQueue, kept", database, RESULT, settings.withResults(KEPT));
    Standing end =
        new Contest(stage, "results", "results, " + how, stage.messages(messages))
            .run(List.of(kept, dropped));
    stage.report().table(end.table(dropped, Load.average()));
    stage
        .report()
        .bar(
            Bar.atLeast(
                how + ": rate with results to without",
                end.ratio(kept, dropped, Effort::perSecond),
                0.7));
    database.execute("DELETE FROM queue_result");
  }

  private static void waits(Stage stage) throws Exception {
    try (ResultWaits scene = new ResultWaits(stage.database())) {
      Map<String, Figures> millis = scene.measure(stage.scaled(WAITS, 50));
      stage.report().table(Table.of("ms, one wait at a time", millis));
      millis.forEach(
          (what, each) ->
              stage.report().sample("results", Map.of("case", what, "millisEach", each.sorted())));
      Figures last = millis.get(ResultWaits.LAST);
      if (last != null) {
        stage.report().bar(Bar.atMost("ms in the median, " + ResultWaits.LAST, last.median(), 4));
      }
    }
  }
}
