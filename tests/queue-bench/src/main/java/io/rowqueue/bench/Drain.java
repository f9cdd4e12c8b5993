package io.rowqueue.bench;

import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.Floors.BareLoop;
import io.rowqueue.bench.Floors.DeleteFloor;
import io.rowqueue.bench.Floors.GroupedFloor;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.NaiveLoop;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Report;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** How fast a queue that is full becomes empty. */
final class Drain implements Workload {

  private static final int THREADS = RowQueueDrainer.THREADS;
  private static final int BATCH = 100;
  private static final int SINGLE = 40_000;
  private static final int GROUPED = 100_000;

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public String what() {
    return "messages handled a second: one commit each, shared, grouped, in batches";
  }

  @Override
  public void run(Stage stage) throws Exception {
    withoutEffect(stage);
    withEffect(stage);
    grouped(stage);
  }

  private static void withoutEffect(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new DeleteFloor(database, THREADS, Effect.NONE);
    Drainer bare = new BareLoop(database, THREADS, Effect.NONE);
    Drainer ours =
        RowQueueDrainer.single("RowQueue", database, Effect.NONE, HandlerSettings.defaults());
    try (Drainer naive = new NaiveLoop(database, THREADS, Effect.NONE);
        Drainer scheduler = new DbSchedulerDrainer(database, THREADS, Effect.NONE)) {
      Standing end =
          new Contest(
                  stage, "drain", "transactional handlers that do nothing", stage.messages(SINGLE))
              .run(List.of(ours, floor, bare, naive, scheduler));
      Report report = show(stage, "drain", end, floor);
      report.bar(
          Bar.atLeast(
              "rate to the same protocol in plain JDBC",
              end.ratio(ours, bare, Effort::perSecond),
              0.90));
      report.bar(Bar.atLeast("rate to the floor", end.ratio(ours, floor, Effort::perSecond), 0.70));
      report.bar(
          Bar.atMost(
              "server CPU to the floor's", end.ratio(ours, floor, Effort::serverMicrosEach), 1.35));
      report.bar(
          Bar.atLeast("rate to the better rival's", toTheBetter(end, ours, naive, scheduler), 2));
    }
  }

  private static void withEffect(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new DeleteFloor(database, THREADS, Effect.INSERT);
    Drainer shared =
        RowQueueDrainer.single(
            "RowQueue, shared commits",
            database,
            Effect.INSERT,
            HandlerSettings.defaults().withSharedCommit());
    Drainer alone =
        RowQueueDrainer.single("RowQueue", database, Effect.INSERT, HandlerSettings.defaults());
    try (Drainer naive = new NaiveLoop(database, THREADS, Effect.INSERT);
        Drainer scheduler = new DbSchedulerDrainer(database, THREADS, Effect.INSERT)) {
      Standing end =
          new Contest(stage, "drain", "handlers that each insert a row", stage.messages(SINGLE))
              .run(List.of(shared, alone, floor, naive, scheduler));
      Report report = show(stage, "drain-insert", end, floor);
      report.bar(
          Bar.atLeast(
              "shared commits: rate to the floor with one commit each",
              end.ratio(shared, floor, Effort::perSecond),
              1.8));
      // db-scheduler's effect is not in its job's transaction; it runs along to compare with.
      report.bar(
          Bar.atLeast(
              "shared commits: rate to the rival with the effect in the job's transaction",
              end.ratio(shared, naive, Effort::perSecond),
              3));
    }
  }

  private static void grouped(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Drainer floor = new GroupedFloor(database);
    Drainer outside =
        RowQueueDrainer.single(
            "RowQueue, without a transaction",
            database,
            Effect.NONE,
            HandlerSettings.defaults().withoutTransaction());
    Drainer batch = RowQueueDrainer.batch("RowQueue, batches of 100", database, BATCH);
    try (Drainer naive = new NaiveLoop(database, THREADS, Effect.NONE);
        Drainer scheduler = new DbSchedulerDrainer(database, THREADS, Effect.NONE)) {
      Standing end =
          new Contest(
                  stage,
                  "drain",
                  "handlers without database effect, and batches",
                  stage.messages(GROUPED))
              .run(List.of(outside, batch, floor));
      Standing rivals =
          new Contest(stage, "drain", "rivals, beside the grouped ones", stage.messages(SINGLE))
              .run(List.of(naive, scheduler));
      Report report = show(stage, "drain-grouped", end, floor);
      report.table(rivals.table(naive, Load.average()));
      double best =
          Math.max(
              rivals.figures(naive, Effort::perSecond).median(),
              rivals.figures(scheduler, Effort::perSecond).median());
      for (Drainer one : List.of(outside, batch)) {
        report.bar(
            Bar.atLeast(
                one.name() + ": rate to the grouped floor",
                end.ratio(one, floor, Effort::perSecond),
                0.70));
        report.bar(
            Bar.atLeast(
                one.name() + ": rate to the better rival's",
                end.figures(one, Effort::perSecond).median() / best,
                8));
      }
    }
  }

  private static double toTheBetter(Standing end, Drainer ours, Drainer one, Drainer other) {
    return Math.min(
        end.ratio(ours, one, Effort::perSecond), end.ratio(ours, other, Effort::perSecond));
  }

  private static Report show(Stage stage, String chart, Standing end, Drainer floor) {
    stage.report().table(end.table(floor, Load.average()));
    stage.report().chart(stage.file(chart), end.chart(stage.server()));
    return stage.report();
  }

  /** What it costs to keep a copy of every message that was handled. */
  static final class Finish implements Workload {

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
              RowQueueDrainer.single(
                  "RowQueue", database, Effect.NONE, HandlerSettings.defaults()));
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

  /**
   * The same, with a copy of each message kept in the archive by the transaction that deletes it.
   */
  static final class History implements Drainer {

    private static final Topic TOPIC = new Topic(QueueTable.TOPIC);
    private static final int DAYS = 7;

    private final QueueDatabase database;
    private final Drainer drainer;
    private final Topics topics;

    History(QueueDatabase database, Drainer drainer) {
      this.database = database;
      this.drainer = drainer;
      this.topics = Topics.of(Transactions.on(database.dataSource()));
    }

    @Override
    public String name() {
      return drainer.name() + ", history kept";
    }

    @Override
    public void fill(int messages) throws Exception {
      topics.keep(TOPIC, DAYS);
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
      topics.keepNone(TOPIC);
      database.execute("DELETE FROM queue_archive");
    }

    @Override
    public void close() {
      drainer.close();
    }
  }
}
