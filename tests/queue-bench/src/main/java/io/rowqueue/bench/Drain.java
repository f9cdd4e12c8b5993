package io.rowqueue.bench;

import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.Floors.BareLoop;
import io.rowqueue.bench.Floors.DeleteFloor;
import io.rowqueue.bench.Floors.GroupedFloor;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.NaiveLoop;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** How fast a queue that is full becomes empty. */
final class Drain {

  private static final int BATCH = 100;
  private static final int SINGLE = 40_000;
  private static final int GROUPED = 100_000;
  private static final int KEPT = 20_000;
  private static final HandlerSettings ALONE = HandlerSettings.defaults();

  private Drain() {}

  static void run(Stage stage) throws Exception {
    withoutEffect(stage);
    withEffect(stage);
    grouped(stage);
  }

  private static void withoutEffect(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new DeleteFloor(database, Effect.NONE);
    Drainer bare = new BareLoop(database);
    Drainer ours = RowQueueDrainer.single("RowQueue", database, Effect.NONE, ALONE);
    Drainer naive = new NaiveLoop(database, Effect.NONE);
    Drainer scheduler = new DbSchedulerDrainer(database, Effect.NONE);
    Standing end =
        stage.contest(
            "transactional handlers that do nothing",
            stage.messages(SINGLE),
            floor,
            ours,
            bare,
            naive,
            scheduler);
    stage.chart("drain", end.chart());
    stage.atLeast("rate to the same protocol in plain JDBC", end.rate(ours, bare), 0.90);
    stage.atLeast("rate to the floor", end.rate(ours, floor), 0.70);
    stage.atMost(
        "server CPU to the floor's", end.ratio(ours, floor, Effort::serverMicrosEach), 1.35);
    stage.atLeast(
        "rate to the better rival's",
        Math.min(end.rate(ours, naive), end.rate(ours, scheduler)),
        2);
  }

  /** db-scheduler's effect is not in its job's transaction; it runs along to compare with. */
  private static void withEffect(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new DeleteFloor(database, Effect.INSERT);
    Drainer shared =
        RowQueueDrainer.single(
            "RowQueue, shared commits", database, Effect.INSERT, ALONE.withSharedCommit());
    Drainer naive = new NaiveLoop(database, Effect.INSERT);
    Standing end =
        stage.contest(
            "handlers that each insert a row",
            stage.messages(SINGLE),
            floor,
            shared,
            RowQueueDrainer.single("RowQueue", database, Effect.INSERT, ALONE),
            naive,
            new DbSchedulerDrainer(database, Effect.INSERT));
    stage.chart("drain-insert", end.chart());
    stage.atLeast(
        "shared commits: rate to the floor with one commit each", end.rate(shared, floor), 1.8);
    stage.atLeast(
        "shared commits: rate to the rival with the effect in the job's transaction",
        end.rate(shared, naive),
        3);
  }

  private static void grouped(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new GroupedFloor(database);
    Drainer outside =
        RowQueueDrainer.single(
            "RowQueue, without a transaction", database, Effect.NONE, ALONE.withoutTransaction());
    Drainer batch =
        RowQueueDrainer.of(
            "RowQueue, batches of 100",
            new QueueTable(database),
            done ->
                LambdaHandlers.<Work>bindBatch(
                    QueueTable.TOPIC,
                    Work.class,
                    deliveries -> done.accept(deliveries.size()),
                    ALONE.withBatchSize(BATCH)));
    Drainer naive = new NaiveLoop(database, Effect.NONE);
    Drainer scheduler = new DbSchedulerDrainer(database, Effect.NONE);
    Standing end =
        stage.contest(
            "handlers without database effect, and batches",
            stage.messages(GROUPED),
            floor,
            outside,
            batch);
    stage.chart("drain-grouped", end.chart());
    Standing rivals =
        stage.contest("rivals, beside the grouped ones", stage.messages(SINGLE), naive, scheduler);
    double best =
        Math.max(
            rivals.figures(naive, Effort::perSecond).median(),
            rivals.figures(scheduler, Effort::perSecond).median());
    for (Drainer one : List.of(outside, batch)) {
      stage.atLeast(one.name() + ": rate to the grouped floor", end.rate(one, floor), 0.70);
      stage.atLeast(
          one.name() + ": rate to the better rival's",
          end.figures(one, Effort::perSecond).median() / best,
          8);
    }
  }

  /** What it costs to keep a copy of every message that was handled. */
  static void finish(Stage stage) throws Exception {
    Drainer plain = RowQueueDrainer.single("RowQueue", stage.database(), Effect.NONE, ALONE);
    Drainer kept = new History(stage.database(), plain);
    Standing end = stage.contest("history, per message", stage.messages(KEPT), plain, kept);
    stage.chart("finish", end.chart());
    stage.atMost(
        "server CPU with history to without",
        end.ratio(kept, plain, Effort::serverMicrosEach),
        1.5);
  }

  /** A drain with a copy of each message archived by the transaction that deletes it. */
  private record History(QueueDatabase database, Drainer drainer) implements Drainer {
    private static final Topic TOPIC = new Topic(QueueTable.TOPIC);
    private static final int DAYS = 7;

    private Topics topics() {
      return Topics.of(Transactions.on(database.dataSource()));
    }

    @Override
    public String name() {
      return drainer.name() + ", history kept";
    }

    @Override
    public void fill(int messages) throws Exception {
      topics().keep(TOPIC, DAYS);
      drainer.fill(messages);
    }

    @Override
    public void drain(Progress progress) throws Exception {
      drainer.drain(progress);
      long kept = database.count("SELECT COUNT(*) FROM queue_archive");
      if (kept != progress.messages()) {
        throw new IllegalStateException(
            "%d of %d messages were kept".formatted(kept, progress.messages()));
      }
      topics().keepNone(TOPIC);
      database.execute("DELETE FROM queue_archive");
    }
  }
}
