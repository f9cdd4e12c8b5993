package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** A worker with a heap of 96 MB over ten million messages: its rate, and what it holds. */
final class Memory {

  private static final String HEAP = "-Xmx96m";
  private static final String TOPIC = "memory";

  /** So few that the server's disk holds them, and so many that the worker never waits. */
  private static final int AT_ONCE = 100_000;

  private static final int CHUNKS = 100;

  private Memory() {}

  static void run(Stage stage) throws Exception {
    QueueTable.makeDigits(stage.database());
    int every = stage.scaled(CHUNKS, 2) / 2;
    Table table =
        new Table(
            Stage.loaded("a worker with " + HEAP),
            "handled",
            "messages/s",
            "MB after a collection");
    List<Double> megabytes = new ArrayList<>();
    try (Child child = Child.start(List.of(HEAP), MemoryChild.class, stage.database().url())) {
      child.awaitReady();
      double seconds = 0;
      for (int chunk = 1; chunk <= 2 * every; chunk++) {
        // In one transaction, so that the worker finds all of them at once.
        stage
            .database()
            .execute(
                "INSERT INTO queue_message (topic, payload) SELECT '%s', '{\"number\": 1}' FROM digit a, digit b, digit c, digit d, digit e"
                    .formatted(TOPIC));
        long from = System.nanoTime();
        String[] words = child.awaitLine(MemoryChild.REPORT).split(" ", -1);
        seconds += (Long.parseLong(words[0]) - from) / 1e9;
        if (chunk % every == 0) {
          double heap = Long.parseLong(words[1]) / (double) (1 << 20);
          table.row(
              "%,d".formatted(chunk * AT_ONCE),
              "%,.0f".formatted(every * AT_ONCE / seconds),
              "%.1f".formatted(heap));
          megabytes.add(heap);
          seconds = 0;
        }
      }
      child.end();
    }
    stage.table(table);
    stage.sample(Map.of("megabytes", megabytes));
    stage.atMost("heap at the end to that at half", megabytes.get(1) / megabytes.get(0), 1.1);
  }

  /** A worker's process that says, after every so many messages, how much heap is in use. */
  static final class MemoryChild {

    private static final String REPORT = "heap: ";

    private MemoryChild() {}

    public static void main(String[] arguments) throws IOException {
      AtomicLong handled = new AtomicLong();
      Semaphore due = new Semaphore(0);
      Module binding =
          LambdaHandlers.bind(
              TOPIC,
              Numbered.class,
              (numbered, context) -> {
                if (handled.incrementAndGet() % AT_ONCE == 0) {
                  due.release();
                }
              },
              HandlerSettings.defaults().withoutTransaction());
      WorkerConfig config =
          WorkerConfig.defaults(new DatabaseConfig(arguments[0], "", "")).withThreads(16);
      Worker worker = Bindings.start(config, List.of(binding));
      Thread reporter = new Thread(() -> report(due), "memory");
      reporter.setDaemon(true);
      reporter.start();
      Child.ready("ready");
      Child.awaitEnd();
      worker.close();
      System.exit(0);
    }

    private static void report(Semaphore due) {
      Runtime runtime = Runtime.getRuntime();
      while (true) {
        due.acquireUninterruptibly();
        long at = System.nanoTime();
        System.gc();
        System.out.println(REPORT + at + " " + (runtime.totalMemory() - runtime.freeMemory()));
      }
    }
  }
}
