package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.Floors.BareLoop;
import io.rowqueue.bench.Floors.DeleteFloor;
import io.rowqueue.bench.Floors.GroupedFloor;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.NaiveLoop;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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

  /** What the server pays when several worker processes share one queue. */
  static final class Processes {

    private static final int MANY = 4;
    private static final int THREADS = 16;

    private Processes() {}

    static void run(Stage stage) throws Exception {
      Contender one = new Group(stage.database(), 1);
      Contender many = new Group(stage.database(), MANY);
      Standing end =
          stage.contest("worker processes, 16 threads in all", stage.messages(40_000), one, many);
      stage.chart("processes", end.chart());
      stage.atMost(
          "server CPU with four processes to one's",
          end.ratio(many, one, Effort::serverMicrosEach),
          1.15);
      stage.atMost(
          "deadlocks with four processes",
          end.figures(many, effort -> effort.deadlocks()).max(),
          0);
    }

    /**
     * So many processes with a topic of their own, from their first turn on, since code is compiled
     * while it runs. The topic is paused while the queue fills, and the measure begins when it is
     * resumed; the second until they notice counts for the rate, but costs the server nothing.
     */
    private static final class Group implements Contender {

      private final QueueDatabase database;
      private final int processes;
      private final Topic topic;
      private final Topics topics;
      private final List<Child> children = new ArrayList<>();

      Group(QueueDatabase database, int processes) {
        this.database = database;
        this.processes = processes;
        this.topic = new Topic("bench-" + processes);
        this.topics = Topics.of(Transactions.on(database.dataSource()));
      }

      @Override
      public String name() {
        return processes == 1 ? "one process" : processes + " processes";
      }

      @Override
      public Effort round(Meter meter, int messages) throws Exception {
        QueueTable table = new QueueTable(database, topic.name());
        topics.pause(topic);
        start();
        awaitPause();
        table.fill(messages);
        Mark from = meter.mark();
        topics.resume(topic);
        QueueTable.awaitEmpty(database, "queue_message");
        return meter.since(from, messages);
      }

      private void start() throws IOException {
        if (children.isEmpty()) {
          for (int i = 0; i < processes; i++) {
            children.add(
                Child.start(
                    WorkerChild.class,
                    database.url(),
                    Integer.toString(THREADS / processes),
                    topic.name()));
          }
          for (Child child : children) {
            child.awaitReady();
          }
        }
      }

      /** Every worker has read the topics' settings by then. */
      private static void awaitPause() throws InterruptedException {
        Thread.sleep(3_000);
      }

      @Override
      public void close() {
        children.forEach(Child::close);
      }
    }

    static final class WorkerChild {

      private WorkerChild() {}

      public static void main(String[] arguments) throws IOException {
        WorkerConfig config =
            WorkerConfig.defaults(new DatabaseConfig(arguments[0], "", ""))
                .withThreads(Integer.parseInt(arguments[1]));
        Module binding = LambdaHandlers.bind(arguments[2], Work.class, (work, context) -> {});
        Worker worker = Bindings.start(config, List.of(binding));
        Child.ready("ready");
        Child.awaitEnd();
        worker.close();
        System.exit(0);
      }
    }
  }
}
