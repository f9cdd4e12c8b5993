package io.rowqueue.bench.memory;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A worker's process that says, after every so many messages, how much memory it holds. */
final class MemoryChild {

  static final String TOPIC = "memory";

  private final long every;
  private final AtomicLong handled = new AtomicLong();
  private final Semaphore due = new Semaphore(0);

  private MemoryChild(long every) {
    this.every = every;
  }

  /** With the queue's URL, after how many messages it reports, and how often. */
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

  /** What the operating system gave the process. */
  private static long residentBytes() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024)
          .sum();
    }
  }
}
