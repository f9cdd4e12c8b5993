package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the server pays when several worker processes share one queue. */
public final class Processes implements Workload {

  private static final int MANY = 4;
  private static final int THREADS = 16;
  private static final int MESSAGES = 40_000;

  @Override
  public String name() {
    return "processes";
  }

  @Override
  public String what() {
    return "the server's CPU for a message with four worker processes, and with one";
  }

  @Override
  public void run(Stage stage) throws Exception {
    try (Contender one = new Group(stage.database(), 1);
        Contender many = new Group(stage.database(), MANY)) {
      run(stage, one, many);
    }
  }

  private static void run(Stage stage, Contender one, Contender many) throws Exception {
    Standing end =
        new Contest(
                stage, "processes", "worker processes, 16 threads in all", stage.messages(MESSAGES))
            .run(List.of(many, one));
    stage.report().table(end.table(one, Load.average()));
    stage.report().chart(stage.file("processes"), end.chart(stage.server()));
    stage
        .report()
        .bar(
            Bar.atMost(
                "server CPU with four processes to one's",
                end.ratio(many, one, Effort::serverMicrosEach),
                1.15));
    stage
        .report()
        .bar(
            Bar.atMost(
                "deadlocks with four processes",
                end.figures(many, effort -> effort.deadlocks()).max(),
                0));
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
      table.awaitEmpty();
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
}
