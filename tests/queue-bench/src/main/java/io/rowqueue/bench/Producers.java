package io.rowqueue.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Commits.Calls;
import io.rowqueue.bench.Commits.Payloads;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
import io.rowqueue.database.Transactions;
import io.rowqueue.depth.DepthJudge;
import io.rowqueue.depth.DepthLimit;
import io.rowqueue.depth.TopicOverfullException;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Producers that use one feature, beside the same without it. */
final class Producers {

  private static final int TOGETHER = 16;
  private static final NewMessage MESSAGE = Payloads.of(200).message();
  private static final MessageProducer PRODUCER = MessageProducer.create().ringing(Ring.SILENT);
  private static final Topic TOPIC = new Topic(Payloads.TOPIC);

  /** More than ever wait. */
  private static final long ROOMY = 10_000_000;

  private Producers() {}

  /** What a deduplication key costs its producer, whether it is held or not. */
  static void deduplication(Stage stage) throws Exception {
    deduplication(stage, "a commit each, 1 producer", 2_000, new Calls(stage.database(), 1, 1));
    deduplication(stage, "1,000 a call", 20_000, new Calls(stage.database(), 1, 1_000));
    Calls together = new Calls(stage.database(), TOGETHER, 1);
    deduplication(stage, "a commit each, 16 producers", 6_000, together);
    // Its producers wait for each other's COMMIT.
    show(
        stage,
        "16 producers on 10 keys",
        6_000,
        List.of(
            plain("without keys", together),
            keyed("10 keys", together, Producers::few),
            keyed("10 keys, replacing", together, number -> few(number).replacing())));
  }

  private static void deduplication(Stage stage, String how, int messages, Calls calls)
      throws Exception {
    show(
        stage,
        how,
        messages,
        List.of(
            plain("without keys", calls),
            keyed("keys, none held", calls, Producers::each),
            held("keys, all held", calls, Producers::each),
            held("keys, all replacing", calls, number -> each(number).replacing())));
  }

  private static Contender plain(String name, Calls calls) {
    return Commits.of(name, calls, PRODUCER, number -> MESSAGE);
  }

  private static Deduplication each(int number) {
    return Deduplication.whileWaiting("key-" + number);
  }

  private static Deduplication few(int number) {
    return each(number % 10);
  }

  private static void show(Stage stage, String how, int messages, List<Contender> contenders)
      throws Exception {
    Standing end = stage.contest("deduplication, " + how, stage.messages(messages), contenders);
    double deadlocks =
        contenders.stream()
            .mapToDouble(each -> end.figures(each, effort -> effort.deadlocks()).max())
            .sum();
    stage.atMost("deduplication, " + how + ": deadlocks", deadlocks, 0);
  }

  private static Contender keyed(String name, Calls calls, IntFunction<Deduplication> rule) {
    return new Prepared(
        Commits.of(name, calls, PRODUCER, number -> MESSAGE.withDeduplication(rule.apply(number))),
        messages -> {},
        messages -> calls.database().execute("DELETE FROM queue_deduplication"));
  }

  /** The same, where others have enqueued before under each key. */
  private static Contender held(String name, Calls calls, IntFunction<Deduplication> rule) {
    return new Prepared(
        keyed(name, calls, rule),
        messages ->
            PRODUCER.enqueueAll(
                calls.database().dataSource(),
                IntStream.range(0, messages)
                    .mapToObj(number -> MESSAGE.withDeduplication(each(number)))
                    .toList()),
        messages -> {});
  }

  /** Publications to several topics, each beside as many enqueues in as many commits. */
  static void fanOut(Stage stage) throws Exception {
    Subscriptions subscriptions = Subscriptions.of(Transactions.on(stage.database().dataSource()));
    for (int count : new int[] {1, 3, 10}) {
      String source = "source-" + count;
      IntStream.range(0, count)
          .forEach(number -> subscriptions.subscribe(source, source + "-" + number));
      Fan fan = new Fan(MESSAGE.withTopic(new Topic(source)), subscriptions.topics(source));
      fanOut(stage, fan, 10_000, new Calls(stage.database(), TOGETHER, count));
      // Copies in a transaction: a number that each number of topics divides.
      fanOut(stage, fan, 30_000, new Calls(stage.database(), 1, 990));
    }
  }

  private static void fanOut(Stage stage, Fan fan, int messages, Calls calls) throws Exception {
    int topics = fan.topics.size();
    String how = calls.threads() == 1 ? "990 copies a call" : "16 publishers";
    stage.contest(
        "copies to %d, %s".formatted(topics, how),
        stage.messages(messages),
        Commits.of(
            "enqueued",
            calls,
            PRODUCER,
            number -> fan.published.withTopic(fan.topics.get(number % topics))),
        Commits.of(
            "published",
            calls,
            (pool, number) ->
                PRODUCER.publishAll(
                    pool, Collections.nCopies(calls.each() / topics, fan.published))));
  }

  /** A message, and the topics that are subscribed to its own. */
  private record Fan(NewMessage published, List<Topic> topics) {}

  /** Producers under a limit that has room, those that get none, and what a verdict takes. */
  static void backPressure(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Topics topics = Topics.of(Transactions.on(database.dataSource()));
    topics.limitDepth(TOPIC, ROOMY);
    Map<String, Figures> millis = new LinkedHashMap<>();
    try (HikariDataSource own = Bare.pool(database, 1)) {
      DepthJudge judge = DepthJudge.of(Transactions.on(own));
      // All threads share one reading a second of what was found last.
      TopicRoom room = TopicRoom.over(own);
      Calls calls = new Calls(database, TOGETHER, 1);
      stage.contest(
          "producers that find room",
          stage.scaled(20_000, 200),
          plain("without a room", calls),
          Commits.of("refusing", calls, PRODUCER.refusing(room), number -> MESSAGE),
          Commits.of(
              "waiting", calls, PRODUCER.waiting(room, Duration.ofMinutes(1)), number -> MESSAGE));
      topics.limitDepth(TOPIC, 1);
      PRODUCER.enqueueAll((DataSource) own, Collections.nCopies(2, MESSAGE));
      judge(database, judge, new DepthLimit(1L, null));
      millis.put("a refusal", refusals(stage, PRODUCER.refusing(TopicRoom.over(own))));
      for (int waiting : new int[] {1_000, 100_000, 1_000_000}) {
        judgements(stage, judge, stage.scaled(waiting, 1_000), millis);
      }
    }
    stage.figures("back-pressure, ms", "millisEach", millis);
  }

  /** In groups of a thousand, since one is too short for the clock. */
  private static Figures refusals(Stage stage, MessageProducer refusing) {
    List<Double> millis = new ArrayList<>();
    for (int group = -stage.warmUps(); group < stage.messages(100_000) / 1_000; group++) {
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
    throw new IllegalStateException("a topic over its limit took a message");
  }

  private static void judgements(
      Stage stage, DepthJudge judge, int waiting, Map<String, Figures> millis) {
    QueueDatabase database = stage.database();
    QueueTable.makeDigits(database);
    database.execute(
        "INSERT INTO queue_message (topic, payload) SELECT '%s', REPEAT('x', 200) FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT %d"
            .formatted(
                TOPIC.name(), waiting - database.count("SELECT COUNT(*) FROM queue_message")));
    Figures ofDepth = judge(database, judge, new DepthLimit(ROOMY, null));
    Figures ofAge = judge(database, judge, new DepthLimit(null, Duration.ofHours(1)));
    millis.put("a verdict of the depth, %,d waiting".formatted(waiting), ofDepth);
    millis.put("a verdict of the age, %,d waiting".formatted(waiting), ofAge);
    stage.atMost("ms for the age, %,d waiting".formatted(waiting), ofAge.median(), 5);
  }

  /** Each as if it were the first in a second; the first one is not measured. */
  private static Figures judge(QueueDatabase database, DepthJudge judge, DepthLimit limit) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i <= 11; i++) {
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
