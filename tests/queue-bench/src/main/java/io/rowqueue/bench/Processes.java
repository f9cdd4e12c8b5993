package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
import io.rowqueue.database.Transactions;
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

/** What the server pays when several worker processes share one queue. */
final class Processes {

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
        "deadlocks with four processes", end.figures(many, effort -> effort.deadlocks()).max(), 0);
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

  /** A worker's process, whose handlers do nothing. */
  static final class WorkerChild {

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
}
