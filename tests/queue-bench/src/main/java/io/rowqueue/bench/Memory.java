package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Chart;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A worker with little heap, over ten million messages: its rate, and what it holds. */
final class Memory {

  private static final String LITTLE = "-Xmx96m";
  private static final String MUCH = "-Xmx1g";
  private static final int MILLION = 1_000_000;
  private static final int REPORTS = 10;

  /** So few that the server's disk holds them, and so many that the worker never waits. */
  private static final int AT_ONCE = 100_000;

  private Memory() {}

  static void run(Stage stage) throws Exception {
    int every = Math.max(AT_ONCE, stage.messages(MILLION));
    QueueTable.makeDigits(stage.database());
    List<Point> much = drain(stage.database(), MUCH, every, 2);
    List<Point> little = drain(stage.database(), LITTLE, every, REPORTS);
    report(stage, every, much, little);
  }

  private static List<Point> drain(QueueDatabase database, String heap, int every, int reports)
      throws Exception {
    List<Point> points = new ArrayList<>();
    try (Child child =
        Child.start(
            List.of(heap),
            MemoryChild.class,
            database.url(),
            Integer.toString(AT_ONCE),
            Integer.toString(every / AT_ONCE * reports))) {
      child.awaitReady();
      for (int report = 0; report < reports; report++) {
        points.add(one(database, child, every));
      }
      child.end();
    }
    return points;
  }

  /** The rate is that of the chunks alone: filling the queue is not the worker's time. */
  private static Point one(QueueDatabase database, Child child, int every) throws IOException {
    double seconds = 0;
    String line = "";
    for (int chunk = 0; chunk < every / AT_ONCE; chunk++) {
      fill(database);
      long from = System.nanoTime();
      line = child.awaitReady();
      seconds += (Long.parseLong(line.split(" ", -1)[0]) - from) / 1e9;
    }
    String[] words = line.split(" ", -1);
    return new Point(every / seconds, Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  /** In one transaction, so that the worker finds all of them at once. */
  private static void fill(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) SELECT '%s', '{\"number\": 1}' FROM digit a, digit b, digit c, digit d, digit e"
            .formatted(MemoryChild.TOPIC));
  }

  private static void report(Stage stage, int every, List<Point> much, List<Point> little) {
    Table table =
        new Table(
            Stage.loaded("memory, handlers without a transaction"),
            "heap, messages so far",
            "messages/s",
            "heap after a collection, MB",
            "resident, MB");
    rows(table, MUCH, every, much);
    rows(table, LITTLE, every, little);
    stage.table(table);
    Map<Double, Double> heap = new TreeMap<>();
    Map<Double, Double> resident = new TreeMap<>();
    for (int i = 0; i < little.size(); i++) {
      heap.put((i + 1.0) * every, megabytes(little.get(i).heap));
      resident.put((i + 1.0) * every, megabytes(little.get(i).resident));
    }
    Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
    lines.put("heap after a collection", heap);
    lines.put("resident", resident);
    stage.sample(lines);
    stage.chart("memory", Chart.lines("Memory, " + LITTLE, "messages", "MB", lines));
    stage.atLeast("rate with 96 MB to 1 GB", rate(little) / rate(much), 0.95);
    stage.atMost(
        "heap at the end to that after the second report",
        little.get(little.size() - 1).heap / (double) little.get(1).heap,
        1.1);
  }

  private static void rows(Table table, String heap, int every, List<Point> points) {
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i);
      table.row(
          "%s, %,d".formatted(heap, (i + 1) * every),
          "%,.0f".formatted(point.perSecond),
          "%.1f".formatted(megabytes(point.heap)),
          "%.1f".formatted(megabytes(point.resident)));
    }
  }

  private static double rate(List<Point> points) {
    // The first one compiles.
    return points.get(1).perSecond;
  }

  private static double megabytes(long bytes) {
    return bytes / (double) (1 << 20);
  }

  private record Point(double perSecond, long heap, long resident) {}

  /** A worker's process that says, after every so many messages, how much memory it holds. */
  static final class MemoryChild {

    static final String TOPIC = "memory";

    private final long every;
    private final AtomicLong handled = new AtomicLong();
    private final Semaphore due = new Semaphore(0);

    private MemoryChild(long every) {
      this.every = every;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
      MemoryChild child = new MemoryChild(Long.parseLong(arguments[1]));
      child.run(arguments[0], Integer.parseInt(arguments[2]));
      System.exit(0);
    }

    private void run(String url, int reports) throws IOException, InterruptedException {
      Module binding =
          LambdaHandlers.bind(
              TOPIC,
              Numbered.class,
              (numbered, context) -> {
                if (handled.incrementAndGet() % every == 0) {
                  due.release();
                }
              },
              HandlerSettings.defaults().withoutTransaction());
      WorkerConfig config = WorkerConfig.defaults(new DatabaseConfig(url, "", "")).withThreads(16);
      Worker worker = Bindings.start(config, List.of(binding));
      Child.ready("ready");
      for (int report = 0; report < reports; report++) {
        due.acquire();
        long at = System.nanoTime();
        System.out.println(at + " " + heapBytes() + " " + residentBytes());
      }
      Child.awaitEnd();
      worker.close();
    }

    /** What is left after a collection. */
    private static long heapBytes() {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return runtime.totalMemory() - runtime.freeMemory();
    }

    private static long residentBytes() throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        return lines
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024)
            .sum();
      }
    }
  }
}
