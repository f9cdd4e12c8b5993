package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** What it costs to keep a copy of every message that was handled. */
public final class Finish implements Workload {

  private static final int MESSAGES = 20_000;

  @Override
  public String name() {
    return "finish";
  }

  @Override
  public String what() {
    return "messages handled a second with their history kept, and without";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer plain =
        RowQueueDrainer.single("RowQueue", database, Effect.NONE, HandlerSettings.defaults());
    Drainer kept =
        new History(
            database,
            RowQueueDrainer.single("RowQueue", database, Effect.NONE, HandlerSettings.defaults()));
    Standing end =
        new Contest(stage, "finish", "history, per message", stage.messages(MESSAGES))
            .run(List.of(kept, plain));
    stage.report().table(end.table(plain, Load.average()));
    stage.report().chart(stage.file("finish"), end.chart(stage.server()));
    stage
        .report()
        .bar(
            Bar.atMost(
                "server CPU with history to without",
                end.ratio(kept, plain, Effort::serverMicrosEach),
                1.5));
  }
}
