package io.rowqueue.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Commits.Payloads;
import io.rowqueue.bench.Commits.Way;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Digits;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
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

  private Producers() {}

  /** What a deduplication key costs its producer, whether it is held or not. */
  static final class Deduplicated implements Workload {

    private static final int ALONE = 2_000;
    private static final int IN_BULK = 20_000;
    private static final int TOGETHER = 6_000;
    private static final int BULK = 1_000;
    private static final int PRODUCERS = 16;
    private static final int FEW_KEYS = 10;

    private static final NewMessage MESSAGE = Payloads.of(200).message();

    private final MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);

    @Override
    public String name() {
      return "deduplication";
    }

    @Override
    public String what() {
      return "messages enqueued a second with keys: none held, all held, replacing";
    }

    @Override
    public void run(Stage stage) throws Exception {
      measure(stage, "a commit each, 1 producer", ALONE, new Way(stage.database(), 1, 1));
      measure(stage, "1,000 a call", IN_BULK, new Way(stage.database(), 1, BULK));
      Way together = new Way(stage.database(), PRODUCERS, 1);
      measure(stage, "a commit each, 16 producers", TOGETHER, together);
      measureFew(stage, together);
    }

    private void measure(Stage stage, String how, int messages, Way way) throws Exception {
      Contender plain = plain(way);
      show(
          stage,
          how,
          messages,
          List.of(
              plain,
              keyed("keys, none held", way, Deduplicated::each),
              held("keys, all held", way, Deduplicated::each),
              held("keys, all replacing", way, number -> each(number).replacing())));
    }

    /** Its producers wait for each other's COMMIT. */
    private void measureFew(Stage stage, Way way) throws Exception {
      show(
          stage,
          "16 producers on 10 keys",
          TOGETHER,
          List.of(
              plain(way),
              keyed("10 keys", way, Deduplicated::few),
              keyed("10 keys, replacing", way, number -> few(number).replacing())));
    }

    private static Deduplication each(int number) {
      return Deduplication.whileWaiting("key-" + number);
    }

    private static Deduplication few(int number) {
      return each(number % FEW_KEYS);
    }

    private static void show(Stage stage, String how, int messages, List<Contender> contenders)
        throws Exception {
      Standing end =
          new Contest(stage, "deduplication", "deduplication, " + how, stage.messages(messages))
              .show(contenders.get(0), contenders);
      double deadlocks =
          contenders.stream()
              .mapToDouble(each -> end.figures(each, effort -> effort.deadlocks()).max())
              .sum();
      stage.report().bar(Bar.atMost("deduplication, " + how + ": deadlocks", deadlocks, 0));
    }

    private Contender plain(Way way) {
      return Commits.of("without keys", way, producer, number -> MESSAGE);
    }

    private Contender keyed(String name, Way way, IntFunction<Deduplication> rule) {
      return new Prepared(
          Commits.of(name, way, producer, number -> MESSAGE.withDeduplication(rule.apply(number))),
          messages -> {},
          messages -> forget(way));
    }

    /** The same, where others have enqueued before under each key. */
    private Contender held(String name, Way way, IntFunction<Deduplication> rule) {
      return new Prepared(
          keyed(name, way, rule), messages -> hold(way.database(), messages), messages -> {});
    }

    private void hold(QueueDatabase database, int messages) {
      producer.enqueueAll(
          database.dataSource(),
          IntStream.range(0, messages)
              .mapToObj(number -> MESSAGE.withDeduplication(each(number)))
              .toList());
    }

    private static void forget(Way way) {
      way.database().execute("DELETE FROM queue_deduplication");
    }
  }

  /** Publications to one, three and ten topics, each beside as many enqueues in as many commits. */
  static final class FanOut implements Workload {

    private static final int PRODUCERS = 16;
    private static final int SINGLE = 10_000;
    private static final int IN_BULK = 30_000;

    /** Copies in a transaction; each number of topics divides it. */
    private static final int BULK = 990;

    private static final NewMessage MESSAGE = Payloads.of(200).message();

    private final MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);

    @Override
    public String name() {
      return "fanout";
    }

    @Override
    public String what() {
      return "messages a second that are published to 1, 3 and 10 topics";
    }

    @Override
    public void run(Stage stage) throws Exception {
      for (int topics : new int[] {1, 3, 10}) {
        Fan fan = Fan.subscribed(stage, topics);
        measure(stage, fan, SINGLE, new Way(stage.database(), PRODUCERS, topics));
        measure(stage, fan, IN_BULK, new Way(stage.database(), 1, BULK));
      }
    }

    private void measure(Stage stage, Fan fan, int messages, Way way) throws Exception {
      String how = way.threads() == 1 ? "990 copies a call" : "16 publishers";
      String title = "copies to %d, %s".formatted(fan.topics.size(), how);
      int publications = way.each() / fan.topics.size();
      Contender enqueue = Commits.of("enqueued", way, producer, number -> fan.toOne(number));
      Contender publish =
          Commits.of(
              "published",
              way,
              (pool, number) ->
                  producer.publishAll(pool, Collections.nCopies(publications, fan.published)));
      new Contest(stage, "fanout", title, stage.messages(messages))
          .show(enqueue, List.of(enqueue, publish));
    }

    /**
     * A source and those that are subscribed to it.
     *
     * @param published what reaches all of them
     */
    private record Fan(NewMessage published, List<Topic> topics) {

      static Fan subscribed(Stage stage, int topics) {
        String source = "source-" + topics;
        Subscriptions subscriptions =
            Subscriptions.of(Transactions.on(stage.database().dataSource()));
        IntStream.range(0, topics)
            .forEach(number -> subscriptions.subscribe(source, source + "-" + number));
        return new Fan(MESSAGE.withTopic(new Topic(source)), subscriptions.topics(source));
      }

      NewMessage toOne(int number) {
        return published.withTopic(topics.get(number % topics.size()));
      }
    }
  }

  /** Producers that ask for room, those that get none, and what it takes to find out. */
  static final class BackPressure implements Workload {

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
}
