package io.rowqueue.bench;

import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.DeleteBaseline;
import io.rowqueue.bench.Rivals.SkipLockedLoop;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;

/** Messages handled a second, beside plain JDBC and rivals. */
final class Drain {

  private static final int MESSAGES = 40_000;
  private static final int BATCH = 100;
  private static final int THREADS = RowQueueDrainer.THREADS;
  private static final HandlerSettings DEFAULT = HandlerSettings.defaults();

  private Drain() {}

  /** With handlers that do nothing, and with handlers that insert a row. */
  static void run(Stage stage) throws Exception {
    measure(stage, "handlers that do nothing", Effect.NONE);
    measure(stage, "handlers that insert a row", Effect.INSERT);
  }

  /** db-scheduler's effect is not in its job's transaction. */
  private static void measure(Stage stage, String title, Effect effect) throws Exception {
    QueueDatabase database = stage.database();
    Drainer baseline = new DeleteBaseline(database, effect, THREADS);
    Drainer ours = RowQueueDrainer.single("RowQueue", database, effect, DEFAULT);
    Drainer each =
        RowQueueDrainer.single(
            "RowQueue, a COMMIT each", database, effect, DEFAULT.withCommitEach());
    Drainer shared =
        RowQueueDrainer.single(
            "RowQueue, shared commits", database, effect, DEFAULT.withSharedCommit());
    Drainer loop = new SkipLockedLoop(database, effect, 1);
    Drainer loopOfBatches = new SkipLockedLoop(database, effect, BATCH);
    Drainer scheduler = new DbSchedulerDrainer(database, effect);
    List<Drainer> all = new ArrayList<>(List.of(baseline, ours, each, shared));
    all.add(batches(database, effect));
    if (effect == Effect.NONE) {
      all.add(
          RowQueueDrainer.single(
              "RowQueue, without a transaction", database, effect, DEFAULT.withoutTransaction()));
    }
    all.addAll(List.of(loop, loopOfBatches, scheduler));
    Standing end = stage.contest(title, stage.messages(MESSAGES), all);
    if (effect == Effect.INSERT) {
      stage.chart("drain-insert", end.chart());
    }
    stage.atLeast(
        title + ": rate to the better rival with a COMMIT each",
        Math.min(end.rate(ours, loop), end.rate(ours, scheduler)),
        effect == Effect.NONE ? 3 : 2.75);
    stage.atLeast(title + ": a COMMIT each, rate to the baseline", end.rate(each, baseline), 0.70);
    stage.atMost(
        title + ": a COMMIT each, server CPU to the baseline's",
        end.ratio(each, baseline, Effort::serverMicrosEach),
        1.35);
    stage.atLeast(title + ": default to shared commits", end.rate(ours, shared), 0.95);
  }

  private static Drainer batches(QueueDatabase database, Effect effect) {
    return RowQueueDrainer.of(
        "RowQueue, batches of " + BATCH,
        new QueueTable(database),
        done ->
            LambdaHandlers.<Work>bindBatch(
                QueueTable.TOPIC,
                Work.class,
                deliveries -> {
                  for (var delivery : deliveries) {
                    effect.happen(delivery.context().connection(), delivery.payload().number());
                  }
                  done.accept(deliveries.size());
                },
                DEFAULT.withBatchSize(BATCH)));
  }

  /** With handlers that wait for 10 ms, on 16 and on 64 threads. */
  static void slow(Stage stage) throws Exception {
    for (int threads : new int[] {THREADS, 4 * THREADS}) {
      QueueDatabase database = stage.database();
      Drainer baseline = new DeleteBaseline(database, Effect.WAIT, threads);
      Drainer ours = RowQueueDrainer.single("RowQueue", database, Effect.WAIT, DEFAULT).on(threads);
      Drainer shared =
          RowQueueDrainer.single(
                  "RowQueue, shared commits", database, Effect.WAIT, DEFAULT.withSharedCommit())
              .on(threads);
      String title = "handlers of %d ms, %d threads".formatted(Effect.MILLIS, threads);
      Standing end = stage.contest(title, stage.messages(500 * threads), baseline, ours, shared);
      stage.atLeast(title + ": rate to the baseline", end.rate(ours, baseline), 0.97);
    }
  }
}
