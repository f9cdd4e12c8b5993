package io.rowqueue.proof.bench.drain;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.bench.Stage;
import io.rowqueue.proof.bench.Workload;
import io.rowqueue.proof.bench.contest.Contender;
import io.rowqueue.proof.bench.contest.Contest;
import io.rowqueue.proof.bench.contest.Standing;
import io.rowqueue.proof.bench.measure.Effort;
import io.rowqueue.proof.bench.measure.Load;
import io.rowqueue.proof.bench.measure.Meter;
import io.rowqueue.proof.bench.measure.Meter.Mark;
import io.rowqueue.proof.bench.report.Bar;
import io.rowqueue.proof.process.Child;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the server pays when several worker processes share one queue. */
public final class Processes implements Workload {

  private static final int MANY = 4;
  private static final int THREADS = 16;
  private static final int MESSAGES = 20_000;

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
    Contender one = new Group(stage.database(), 1);
    Contender many = new Group(stage.database(), MANY);
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
   * So many processes, warm before they are measured: their topic is paused while the queue fills,
   * and the measure begins when it is resumed. The second until they notice counts for the rate,
   * but costs the server nothing.
   */
  private record Group(QueueDatabase database, int processes) implements Contender {

    private static final Topic TOPIC = new Topic(QueueTable.TOPIC);

    @Override
    public String name() {
      return processes == 1 ? "one process" : processes + " processes";
    }

    @Override
    public Effort round(Meter meter, int messages) throws Exception {
      Topics topics = Topics.of(Transactions.on(database.dataSource()));
      QueueTable table = new QueueTable(database);
      List<Child> children = start();
      try {
        // Code is compiled while it runs; what is measured comes after.
        table.fill(messages);
        table.awaitEmpty();
        topics.pause(TOPIC);
        awaitPause();
        table.fill(messages);
        Mark from = meter.mark();
        topics.resume(TOPIC);
        table.awaitEmpty();
        return meter.since(from, messages);
      } finally {
        for (Child child : children) {
          child.end();
          child.close();
        }
      }
    }

    private List<Child> start() throws IOException {
      List<Child> children = new ArrayList<>();
      for (int i = 0; i < processes; i++) {
        children.add(
            Child.start(WorkerChild.class, database.url(), Integer.toString(THREADS / processes)));
      }
      for (Child child : children) {
        child.awaitReady();
      }
      return children;
    }

    /** Every worker has read the topics' settings by then. */
    private static void awaitPause() throws InterruptedException {
      Thread.sleep(3_000);
    }
  }
}
