package io.rowqueue.bench.drain;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How busy slow handlers are kept: three workers with 64 threads each, 100 ms a message, beside as
 * many threads of plain JDBC. Threads that work equally long end at the same time again and again,
 * once a group commit has let them go together, so there are handlers of 50 to 150 ms, too.
 */
public final class Slow implements Workload {

  private static final int WORKERS = 3;
  private static final int THREADS = 64;
  private static final int ALL = WORKERS * THREADS;

  /** Of the workers, as docs/operations.md reckons them, and a few for whoever looks on. */
  private static final int CONNECTIONS = WORKERS * (THREADS + 10 + THREADS / 2 + 2) + 10;

  /** Of each turn: until all threads run, and claims have found their size; and as many more. */
  private static final int SECONDS = 5;

  @Override
  public String name() {
    return "slow";
  }

  @Override
  public String what() {
    return "the share of their time that slow handlers' threads are busy";
  }

  @Override
  public void run(Stage stage) throws Exception {
    noteConnections(stage);
    Kind even = new Kind("100 ms", 100, 100);
    Kind uneven = new Kind("50 to 150 ms", 50, 150);
    for (int round = 0; round < stage.rounds(); round++) {
      turns(stage, even);
      turns(stage, uneven);
    }
    report(stage, even, uneven);
  }

  /** With fewer of them threads wait for connections, which says nothing of the workers. */
  private static void noteConnections(Stage stage) {
    long admitted = stage.database().count("SELECT @@max_connections");
    if (admitted < CONNECTIONS) {
      stage
          .report()
          .note(
              "the server admits %d connections, and these workers want %d: raise max_connections"
                  .formatted(admitted, CONNECTIONS));
    }
  }

  private static void turns(Stage stage, Kind kind) throws Exception {
    fill(stage);
    try (AutoCloseable running = SlowFloor.start(stage.database(), kind.work, ALL)) {
      kind.measure(kind.floor, seconds(stage));
    }
    fill(stage);
    List<Worker> workers = new ArrayList<>();
    try {
      for (int i = 0; i < WORKERS; i++) {
        workers.add(start(stage, kind.work));
      }
      kind.measure(kind.ours, seconds(stage));
    } finally {
      workers.forEach(Worker::close);
    }
  }

  /** None so short for figures that count. */
  private static int seconds(Stage stage) {
    return stage.warmUps() == 0 ? 1 : SECONDS;
  }

  /** Twice what can be handled in the time, so that a backlog stays. */
  private static void fill(Stage stage) {
    long left = stage.database().count("SELECT COUNT(*) FROM queue_message");
    int backlog = 2 * ALL * 10 * 2 * seconds(stage);
    new QueueTable(stage.database()).fill((int) Math.max(0, backlog - left));
  }

  private static Worker start(Stage stage, SlowWork work) {
    Module binding =
        LambdaHandlers.bind(QueueTable.TOPIC, Work.class, (message, context) -> work.happen());
    return Bindings.start(
        WorkerConfig.defaults(stage.database().config()).withThreads(THREADS), List.of(binding));
  }

  private static void report(Stage stage, Kind even, Kind uneven) {
    Map<String, Figures> figures = new LinkedHashMap<>();
    for (Kind kind : List.of(even, uneven)) {
      figures.put("floor, " + kind.name, Figures.of(kind.floor));
      figures.put("RowQueue, " + kind.name, Figures.of(kind.ours));
    }
    stage
        .report()
        .table(
            Table.of(
                String.format(
                    Locale.ROOT,
                    "share of their time that %d threads of %d workers are busy (load %.1f)",
                    THREADS,
                    WORKERS,
                    Load.average()),
                figures));
    figures.forEach((who, each) -> stage.report().sample("slow", Map.of(who, each.sorted())));
    stage
        .report()
        .chart(
            stage.file("slow"),
            Chart.bars("Slow handlers, " + stage.server(), "share of the time busy", figures));
    double busy = Figures.of(even.ours).median();
    stage.report().bar(Bar.atLeast("share of the time busy", busy, 0.97));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "share of the time busy, to the floor's",
                busy / Figures.of(even.floor).median(),
                0.97));
  }

  /** Work of one kind, and the shares of their time that threads did it. */
  private static final class Kind {

    private final String name;
    private final SlowWork work;
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> floor = new ArrayList<>();

    Kind(String name, long shortestMillis, long longestMillis) {
      this.name = name;
      this.work = new SlowWork(Duration.ofMillis(shortestMillis), Duration.ofMillis(longestMillis));
    }

    /** Once what does it runs evenly. */
    private void measure(List<Double> shares, int seconds) {
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
      shares.add(work.share(ALL, seconds));
    }
  }
}
