package io.rowqueue.bench.enqueue;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.bench.measure.Digits;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.database.Transactions;
import io.rowqueue.depth.DepthJudge;
import io.rowqueue.depth.DepthLimit;
import io.rowqueue.depth.TopicOverfullException;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Producers that ask for room, those that get none, and what it takes to find out. */
public final class BackPressure implements Workload {

  private static final int PRODUCERS = 16;
  private static final int MESSAGES = 20_000;
  private static final int REFUSALS = 100_000;
  private static final int JUDGEMENTS = 11;
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Topic TOPIC = new Topic(Payloads.TOPIC);
  private static final NewMessage MESSAGE = Payloads.of(200).message();

  /** More than ever wait. */
  private static final long ROOMY = 10_000_000;

  private final MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);

  @Override
  public String name() {
    return "backpressure";
  }

  @Override
  public String what() {
    return "messages enqueued a second by producers that ask for room, refusals, verdicts";
  }

  @Override
  public void run(Stage stage) throws Exception {
    Topics topics = Topics.of(Transactions.on(stage.database().dataSource()));
    topics.limitDepth(TOPIC, ROOMY);
    Map<String, Figures> millis = new LinkedHashMap<>();
    try (HikariDataSource own = Bare.pool(stage.database(), 1)) {
      DepthJudge judge = DepthJudge.of(Transactions.on(own));
      asking(stage, TopicRoom.over(own));
      topics.limitDepth(TOPIC, 1);
      producer.enqueueAll((DataSource) own, Collections.nCopies(2, MESSAGE));
      judge(stage.database(), judge, new DepthLimit(1L, null));
      millis.put("a refusal", refusals(stage, producer.refusing(TopicRoom.over(own))));
      for (int waiting : new int[] {1_000, 100_000, 1_000_000}) {
        judgements(stage, judge, waiting, millis);
      }
    }
    stage.report().table(Table.of("back-pressure, ms", millis));
    millis.forEach(
        (what, each) ->
            stage
                .report()
                .sample("backpressure", Map.of("case", what, "millisEach", each.sorted())));
  }

  /** All threads share one reading a second of what was found last. */
  private void asking(Stage stage, TopicRoom room) throws Exception {
    Way way = new Way(stage.database(), PRODUCERS, 1);
    Contender plain = Commits.of("without a room", way, producer, number -> MESSAGE);
    Contender refusing = Commits.of("refusing", way, producer.refusing(room), number -> MESSAGE);
    Contender waiting =
        Commits.of("waiting", way, producer.waiting(room, LONGEST), number -> MESSAGE);
    new Contest(stage, "backpressure", "producers that find room", stage.scaled(MESSAGES, 200))
        .show(plain, List.of(plain, refusing, waiting));
  }

  /** In groups of a thousand, since one is too short for the clock. */
  private static Figures refusals(Stage stage, MessageProducer refusing) {
    List<Double> millis = new ArrayList<>();
    for (int group = -stage.warmUps(); group < stage.messages(REFUSALS) / 1_000; group++) {
      long start = System.nanoTime();
      for (int i = 0; i < 1_000; i++) {
        refuse(refusing, stage.database().dataSource());
      }
      if (group >= 0) {
        millis.add((System.nanoTime() - start) / 1e9);
      }
    }
    return Figures.of(millis);
  }

  private static void refuse(MessageProducer refusing, DataSource nobodys) {
    try {
      refusing.enqueue(nobodys, MESSAGE);
    } catch (TopicOverfullException expected) {
      return;
    }
    throw new IllegalStateException("an overfull topic took a message");
  }

  private static void judgements(
      Stage stage, DepthJudge judge, int atFullSize, Map<String, Figures> millis) {
    QueueDatabase database = stage.database();
    int waiting = stage.scaled(atFullSize, 1_000);
    Digits.prepare(database);
    database.execute(
        "INSERT INTO queue_message (topic, payload) SELECT '%s', REPEAT('x', 200) FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT %d"
            .formatted(
                TOPIC.name(), waiting - database.count("SELECT COUNT(*) FROM queue_message")));
    Figures ofDepth = judge(database, judge, new DepthLimit(ROOMY, null));
    Figures ofAge = judge(database, judge, new DepthLimit(null, Duration.ofHours(1)));
    millis.put("a verdict of the depth, %,d waiting".formatted(waiting), ofDepth);
    millis.put("a verdict of the age, %,d waiting".formatted(waiting), ofAge);
    stage
        .report()
        .bar(Bar.atMost("ms for the age, %,d waiting".formatted(waiting), ofAge.median(), 5));
  }

  /** Each as if it were the first in a second. */
  private static Figures judge(QueueDatabase database, DepthJudge judge, DepthLimit limit) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i <= JUDGEMENTS; i++) {
      database.execute("DELETE FROM queue_depth");
      long start = System.nanoTime();
      if (!judge.judge(TOPIC, limit, Collections.emptyNavigableMap())) {
        throw new IllegalStateException("somebody else has judged");
      }
      if (i > 0) {
        millis.add((System.nanoTime() - start) / 1e6);
      }
    }
    return Figures.of(millis);
  }
}
