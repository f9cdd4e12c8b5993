package io.rowqueue.proof.bench.drain;

import com.google.inject.Guice;
import com.google.inject.Module;
import io.rowqueue.proof.bench.Stage;
import io.rowqueue.proof.bench.Workload;
import io.rowqueue.proof.bench.drain.QueueTable.Work;
import io.rowqueue.proof.bench.measure.Figures;
import io.rowqueue.proof.bench.measure.Load;
import io.rowqueue.proof.bench.report.Bar;
import io.rowqueue.proof.bench.report.Table;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** How busy slow handlers are kept: three workers with 64 threads each, 100 ms a message. */
public final class Slow implements Workload {

  private static final int WORKERS = 3;
  private static final int THREADS = 64;

  /** Of the workers, as docs/operations.md reckons them, and a few for whoever looks on. */
  private static final int CONNECTIONS = WORKERS * (THREADS + 8 + THREADS / 4 + 1) + 10;

  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int WINDOW_SECONDS = 5;

  /** Until all threads run, and claims have found their size. */
  private static final int SETTLE_SECONDS = 5;

  @Override
  public String name() {
    return "slow";
  }

  @Override
  public String what() {
    return "the share of their time that slow handlers' threads are busy";
  }

  @Override
  public void run(Stage stage) {
    noteConnections(stage);
    int windows = stage.rounds();
    int seconds = SETTLE_SECONDS + windows * WINDOW_SECONDS;
    // Twice what can be handled in the time, so that a backlog stays.
    new QueueTable(stage.database()).fill(2 * WORKERS * THREADS * 10 * seconds);
    LongAdder busy = new LongAdder();
    List<Worker> workers = new ArrayList<>();
    try {
      for (int i = 0; i < WORKERS; i++) {
        workers.add(start(stage, busy));
      }
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(SETTLE_SECONDS));
      List<Double> shares = new ArrayList<>();
      for (int window = 0; window < windows; window++) {
        shares.add(share(busy));
      }
      report(stage, Figures.of(shares));
    } finally {
      workers.forEach(Worker::close);
    }
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

  private static Worker start(Stage stage, LongAdder busy) {
    WorkerConfig config = WorkerConfig.defaults(stage.database().config()).withThreads(THREADS);
    Module binding =
        LambdaHandlers.bind(
            QueueTable.TOPIC,
            Work.class,
            (work, context) -> {
              long start = System.nanoTime();
              long end = start + NANOS;
              while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(end - System.nanoTime());
              }
              busy.add(System.nanoTime() - start);
            });
    Worker worker =
        Guice.createInjector(new WorkerModule(config), binding).getInstance(Worker.class);
    worker.start();
    return worker;
  }

  /** Of what ended in the window; what began before it makes up for what ends after it. */
  private static double share(LongAdder busy) {
    long from = System.nanoTime();
    long before = busy.sum();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(WINDOW_SECONDS));
    long spent = System.nanoTime() - from;
    return (busy.sum() - before) / ((double) spent * WORKERS * THREADS);
  }

  private static void report(Stage stage, Figures shares) {
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
                Map.of("handlers of 100 ms", shares)));
    stage.report().sample("slow", Map.of("busy", shares.sorted()));
    stage.report().bar(Bar.atLeast("share of the time busy", shares.median(), 0.97));
  }
}
