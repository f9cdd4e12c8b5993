package io.rowqueue.bench.drain;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.util.List;

/** A worker's process, whose handlers do nothing. */
final class WorkerChild {

  private WorkerChild() {}

  /** With the queue's URL, the number of threads, and the topic. */
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
