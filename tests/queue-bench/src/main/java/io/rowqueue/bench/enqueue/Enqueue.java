package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.Worker;
import java.util.List;

/** How fast messages get into the queue: ten thousand in one transaction, and one by one. */
public final class Enqueue implements Workload {

  private static final int BULK = 10_000;
  private static final int SINGLE = 20_000;
  private static final int SMALL = 200;
  private static final int LARGE = 10_240;

  @Override
  public String name() {
    return "enqueue";
  }

  @Override
  public String what() {
    return "messages enqueued a second: in bulk, and with a commit each";
  }

  @Override
  public void run(Stage stage) throws Exception {
    bulk(stage, SMALL, "200 B");
    bulk(stage, LARGE, "10 KB");
    for (int threads : new int[] {1, 4, 16}) {
      commits(stage, threads);
    }
  }

  private static void bulk(Stage stage, int size, String words) throws Exception {
    Payloads payloads = Payloads.of(size);
    Contender floor = new BulkFloor(stage.database(), payloads);
    Contender ours = new BulkProducer(stage.database(), payloads);
    String title = "%,d messages of %s in one transaction".formatted(BULK, words);
    Standing end =
        new Contest(stage, "enqueue", title, stage.messages(BULK)).run(List.of(ours, floor));
    show(stage, "enqueue-" + size, end, floor);
    stage
        .report()
        .bar(
            Bar.atLeast(
                words + " in bulk: rate to the floor",
                end.ratio(ours, floor, Effort::perSecond),
                0.85));
  }

  /** With a worker that listens and claims nothing, since its topic is paused. */
  private static void commits(Stage stage, int threads) throws Exception {
    Payloads payloads = Payloads.of(SMALL);
    try (Worker listening = listener(stage);
        Contender floor = Commits.floor(stage.database(), threads, payloads);
        Contender ours = Commits.producer(stage.database(), threads, payloads);
        Contender ringing = Commits.ringing(stage.database(), threads, payloads)) {
      Standing end =
          new Contest(
                  stage,
                  "enqueue",
                  "a commit each, %d threads".formatted(threads),
                  stage.messages(SINGLE))
              .run(List.of(ours, ringing, floor));
      show(stage, "enqueue-commits-" + threads, end, floor);
      for (Contender one : List.of(ours, ringing)) {
        stage
            .report()
            .bar(
                Bar.atLeast(
                    "%s, %d threads: rate to the floor".formatted(one.name(), threads),
                    end.ratio(one, floor, Effort::perSecond),
                    0.90));
      }
    }
  }

  private static Worker listener(Stage stage) {
    Topics.of(Transactions.on(stage.database().dataSource())).pause(new Topic(Payloads.TOPIC));
    return Bindings.start(
        stage.database().url(),
        List.of(
            LambdaHandlers.bind(
                Payloads.TOPIC,
                Payloads.Text.class,
                (text, context) -> {
                  throw new IllegalStateException("the topic is paused");
                })));
  }

  private static void show(Stage stage, String chart, Standing end, Contender floor) {
    stage.report().table(end.table(floor, Load.average()));
    stage.report().chart(stage.file(chart), end.chart(stage.server()));
  }
}
