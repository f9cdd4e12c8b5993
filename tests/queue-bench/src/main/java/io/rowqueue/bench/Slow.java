package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.bench.measure.Chart;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * How busy slow handlers are kept: three workers with 64 threads each, 100 ms a message, beside as
 * many threads of plain JDBC. Threads that work equally long end at the same time again and again,
 * once a group commit has let them go together, so there are handlers of 50 to 150 ms, too.
 */
final class Slow {

  private static final int WORKERS = 3;
  private static final int THREADS = 64;
  private static final int ALL = WORKERS * THREADS;

  /** Of the workers, as docs/operations.md computes them, and a few for whoever looks on. */
  private static final int CONNECTIONS = WORKERS * (THREADS + 10 + THREADS / 2 + 2) + 10;

  /** Of each turn: until all threads run, and claims have found their size; and as many more. */
  private static final int SECONDS = 5;

  private Slow() {}

  static void run(Stage stage) throws Exception {
    noteConnections(stage);
    Kind even = new Kind("100 ms", 100, 100);
    Kind uneven = new Kind("50 to 150 ms", 50, 150);
    for (int round = 0; round < stage.rounds(); round++) {
      turns(stage, even);
      turns(stage, uneven);
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    for (Kind kind : List.of(even, uneven)) {
      figures.put("floor, " + kind.name, Figures.of(kind.floor));
      figures.put("RowQueue, " + kind.name, Figures.of(kind.ours));
    }
    stage.figures(
        "share of their time that %d threads of %d workers are busy".formatted(THREADS, WORKERS),
        "share",
        figures);
    stage.chart("slow", Chart.bars("Slow handlers", "share of the time busy", figures));
    double busy = Figures.of(even.ours).median();
    stage.atLeast("share of the time busy", busy, 0.97);
    stage.atLeast(
        "share of the time busy, to the floor's", busy / Figures.of(even.floor).median(), 0.97);
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

  /**
   * Slow work in plain JDBC: each thread takes the next of the known ids, works, deletes it and
   * commits. Nobody who commits each message by itself keeps threads busier.
   */
  static final class SlowFloor implements AutoCloseable {

    private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

    private final QueueDatabase database;
    private final SlowWork work;
    private final List<Long> ids;
    private final AtomicInteger next = new AtomicInteger();
    private final ExecutorService pool;
    private final List<Future<?>> running = new ArrayList<>();
    private volatile boolean closed;

    private SlowFloor(QueueDatabase database, SlowWork work, int threads) {
      this.database = database;
      this.work = work;
      this.ids = new QueueTable(database).ids();
      this.pool = Executors.newFixedThreadPool(threads);
    }

    static SlowFloor start(QueueDatabase database, SlowWork work, int threads) {
      SlowFloor floor = new SlowFloor(database, work, threads);
      for (int i = 0; i < threads; i++) {
        floor.running.add(floor.pool.submit(floor::workUntilClosed));
      }
      return floor;
    }

    private Void workUntilClosed() throws SQLException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement delete = connection.prepareStatement(DELETE)) {
        for (int i = next.getAndIncrement(); !closed; i = next.getAndIncrement()) {
          work.happen();
          delete.setLong(1, ids.get(i));
          delete.executeUpdate();
          connection.commit();
        }
      }
      return null;
    }

    /** A failure of any thread is thrown then. */
    @Override
    public void close() throws Exception {
      closed = true;
      pool.shutdown();
      for (Future<?> each : running) {
        each.get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** What a slow handler does, and how much of their time its threads do it. Thread-safe. */
  static final class SlowWork {

    private final long shortest;
    private final long longest;
    private final LongAdder busy = new LongAdder();

    /** It takes from {@code shortest} to {@code longest}, each as likely as the other. */
    SlowWork(Duration shortest, Duration longest) {
      this.shortest = shortest.toNanos();
      this.longest = longest.toNanos();
    }

    /** Waits, as for somebody else's answer; an interrupt ends it. */
    void happen() {
      long start = System.nanoTime();
      long end = start + ThreadLocalRandom.current().nextLong(shortest, longest + 1);
      while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
      busy.add(System.nanoTime() - start);
    }

    /**
     * The share of the next {@code seconds} that {@code threads} threads are busy: of what ends in
     * them, since what began before makes up for what ends after.
     */
    double share(int threads, int seconds) {
      long from = System.nanoTime();
      long before = busy.sum();
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
      long spent = System.nanoTime() - from;
      return (busy.sum() - before) / ((double) spent * threads);
    }
  }
}
