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
import java.util.stream.Stream;

/** What it costs that messages are members of one batch, whose counters share their load. */
public final class BatchDrain implements Workload {

  private static final int SINGLE = 20_000;
  private static final int GROUPED = 60_000;
  private static final List<Integer> LEAVES = List.of(64, 16, 1);

  @Override
  public String name() {
    return "batches";
  }

  @Override
  public String what() {
    return "messages of one batch handled a second, with 1, 16 and 64 counters, and without one";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    drain(stage, "a COMMIT each", alone, SINGLE);
    drain(stage, "shared commits", alone.withSharedCommit(), SINGLE);
    drain(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
  }

  private static void drain(Stage stage, String how, HandlerSettings settings, int messages)
      throws Exception {
    QueueDatabase database = stage.database();
    Drainer without = RowQueueDrainer.single("RowQueue, no batch", database, Effect.NONE, settings);
    List<Drainer> within =
        LEAVES.stream().map(leaves -> RowQueueDrainer.within(leaves, database, settings)).toList();
    Standing end =
        new Contest(stage, "batches", "batches, " + how, stage.messages(messages))
            .run(Stream.concat(Stream.of(without), within.stream()).toList());
    stage.report().table(end.table(without, Load.average()));
    stage
        .report()
        .bar(
            Bar.atLeast(
                how + ": rate in a batch of 64 leaves to without",
                end.ratio(within.get(0), without, Effort::perSecond),
                0.8));
    database.execute("DELETE FROM queue_batch_leaf", "DELETE FROM queue_batch");
  }
}
