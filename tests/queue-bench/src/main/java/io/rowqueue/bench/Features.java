package io.rowqueue.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadVersion;
import io.rowqueue.message.Topic;
import io.rowqueue.message.Upcasters;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.result.Results;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.ScheduleBinder;
import io.rowqueue.subscribe.SubscriptionBinder;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Drains that use one feature, beside the same without it. */
final class Features {

  private Features() {}

  /** What it costs that messages are members of one batch, whose counters share their load. */
  static final class BatchDrain implements Workload {

    private static final int SINGLE = 20_000;
    private static final int GROUPED = 60_000;
    private static final List<Integer> LEAVES = List.of(64, 16, 1);

    @Override
    public String name() {
      return "batches";
    }

    @Override
    public String what() {
      return "messages of one batch handled a second, with 1, 16 and 64 counters, and without one";
    }

    @Override
    public void run(Stage stage) throws Exception {
      HandlerSettings alone = HandlerSettings.defaults();
      drain(stage, "a COMMIT each", alone, SINGLE);
      drain(stage, "shared commits", alone.withSharedCommit(), SINGLE);
      drain(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
    }

    private static void drain(Stage stage, String how, HandlerSettings settings, int messages)
        throws Exception {
      QueueDatabase database = stage.database();
      Drainer without =
          RowQueueDrainer.single("RowQueue, no batch", database, Effect.NONE, settings);
      List<Drainer> within =
          LEAVES.stream()
              .map(leaves -> RowQueueDrainer.within(leaves, database, settings))
              .toList();
      Standing end =
          new Contest(stage, "batches", "batches, " + how, stage.messages(messages))
              .run(Stream.concat(Stream.of(without), within.stream()).toList());
      stage.report().table(end.table(without, Load.average()));
      stage
          .report()
          .bar(
              Bar.atLeast(
                  how + ": rate in a batch of 64 leaves to without",
                  end.ratio(within.get(0), without, Effort::perSecond),
                  0.8));
      database.execute("DELETE FROM queue_batch_leaf", "DELETE FROM queue_batch");
    }
  }

  /** What it costs to keep what handlers give back, and how soon it is awaited. */
  static final class ResultDrain implements Workload {

    private static final int SINGLE = 40_000;
    private static final int GROUPED = 100_000;
    private static final int WAITS = 1_000;

    /** 200 bytes of JSON. */
    private static final String RESULT = "r".repeat(198);

    private static final Duration KEPT = Duration.ofHours(1);

    @Override
    public String name() {
      return "results";
    }

    @Override
    public String what() {
      return "messages handled a second with their results kept, and waits for them";
    }

    @Override
    public void run(Stage stage) throws Exception {
      HandlerSettings alone = HandlerSettings.defaults();
      drain(stage, "a COMMIT each", alone, SINGLE);
      drain(stage, "shared commits", alone.withSharedCommit(), SINGLE);
      drain(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
      waits(stage);
    }

    private static void drain(Stage stage, String how, HandlerSettings settings, int messages)
        throws Exception {
      QueueDatabase database = stage.database();
      Drainer dropped = RowQueueDrainer.giving("RowQueue, dropped", database, RESULT, settings);
      Drainer kept =
          RowQueueDrainer.giving("RowQueue, kept", database, RESULT, settings.withResults(KEPT));
      Standing end =
          new Contest(stage, "results", "results, " + how, stage.messages(messages))
              .run(List.of(kept, dropped));
      stage.report().table(end.table(dropped, Load.average()));
      stage
          .report()
          .bar(
              Bar.atLeast(
                  how + ": rate with results to without",
                  end.ratio(kept, dropped, Effort::perSecond),
                  0.7));
      database.execute("DELETE FROM queue_result");
    }

    private static void waits(Stage stage) throws Exception {
      try (ResultWaits scene = new ResultWaits(stage.database())) {
        Map<String, Figures> millis = scene.measure(stage.scaled(WAITS, 50));
        stage.report().table(Table.of("ms, one wait at a time", millis));
        millis.forEach(
            (what, each) ->
                stage
                    .report()
                    .sample("results", Map.of("case", what, "millisEach", each.sorted())));
        Figures last = millis.get(ResultWaits.LAST);
        if (last != null) {
          stage.report().bar(Bar.atMost("ms in the median, " + ResultWaits.LAST, last.median(), 4));
        }
      }
    }
  }

  /** One thread that enqueues and awaits, over and over, and a worker in the same process. */
  static final class ResultWaits implements AutoCloseable {

    /** Its ack's COMMIT, the ring and the look. */
    static final String LAST = "from the handler's return to the waiter's thread";

    private static final String TOPIC = "awaited";

    /** Code is compiled after some thousand calls; processes are up for days. */
    private static final int WARM_UP = 1_000;

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final HikariDataSource pool;
    private final Worker worker;
    private final Results results;
    private final MessageProducer producer = MessageProducer.create();
    private volatile long begunNanos;
    private volatile long returnedNanos;

    ResultWaits(QueueDatabase database) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url());
      config.setMaximumPoolSize(3);
      this.pool = new HikariDataSource(config);
      this.worker =
          Bindings.start(
              database.url(),
              List.of(
                  LambdaHandlers.bindResult(
                      TOPIC,
                      Numbered.class,
                      this::handle,
                      HandlerSettings.defaults().withResults(Duration.ofHours(1)))));
      this.results = Results.over(pool);
    }

    private int handle(Numbered message, HandlerContext context) {
      begunNanos = System.nanoTime();
      int result = message.number();
      returnedNanos = System.nanoTime();
      return result;
    }

    /** So many waits, behind a warm-up as long. */
    Map<String, Figures> measure(int waits) throws InterruptedException {
      Map<String, List<Double>> millis = new LinkedHashMap<>();
      int warmUp = Math.min(WARM_UP, waits);
      for (int number = -warmUp; number < waits; number++) {
        long start = System.nanoTime();
        Integer result =
            results.enqueueAndAwait(
                producer, NewMessage.of(TOPIC, new Numbered(number)), Integer.class, LONGEST);
        long end = System.nanoTime();
        if (result == null || result != number) {
          throw new IllegalStateException("%d gave %s back".formatted(number, result));
        }
        if (number >= 0) {
          note(millis, "from the call to the handler's first line", begunNanos - start);
          note(millis, LAST, end - returnedNanos);
          note(millis, "in all", end - start);
        }
      }
      Map<String, Figures> figures = new LinkedHashMap<>();
      millis.forEach((what, each) -> figures.put(what, Figures.of(each)));
      return figures;
    }

    private static void note(Map<String, List<Double>> millis, String what, long nanos) {
      millis.computeIfAbsent(what, none -> new ArrayList<>()).add(nanos / 1e6);
    }

    @Override
    public void close() {
      results.close();
      worker.close();
      pool.close();
    }
  }

  /** What it costs to heed limits that hold nobody up: of a topic, and of each of many keys. */
  static final class Limits implements Workload {

    private static final int MESSAGES = 20_000;
    private static final int LEAST = 400;
    private static final int FEW_KEYS = 100;
    private static final int OF_A_KEY = 4;
    private static final int AT_ONCE = 1_000;
    private static final int A_SECOND = 1_000_000;
    private static final Topic TOPIC = new Topic(QueueTable.TOPIC);

    @Override
    public String name() {
      return "limits";
    }

    @Override
    public String what() {
      return "messages handled a second under limits of topics and of keys";
    }

    @Override
    public void run(Stage stage) throws Exception {
      QueueDatabase database = stage.database();
      int messages = stage.scaled(MESSAGES, LEAST);
      int many = messages / 2;
      Contender none = drainer(database, "no limit", 0, topics -> {});
      Contender few = ofKeys(database, FEW_KEYS);
      Contender lots = ofKeys(database, many);
      Standing end =
          new Contest(stage, "limits", "limits that hold nobody up", messages)
              .show(
                  none,
                  List.of(
                      none,
                      drainer(
                          database,
                          "%,d in flight".formatted(AT_ONCE),
                          0,
                          topics -> topics.limitInFlight(TOPIC, AT_ONCE)),
                      drainer(
                          database,
                          "%,d a second".formatted(A_SECOND),
                          0,
                          topics -> topics.limitPerSecond(TOPIC, A_SECOND)),
                      few,
                      lots,
                      drainer(
                          database,
                          "%,d keys, %,d a second each".formatted(FEW_KEYS, A_SECOND),
                          FEW_KEYS,
                          topics -> topics.limitKeyPerSecond(TOPIC, A_SECOND))));
      stage
          .report()
          .bar(
              Bar.atLeast(
                  "many keys with limits, to few", end.ratio(lots, few, Effort::perSecond), 0.5));
    }

    private static Contender ofKeys(QueueDatabase database, int keys) {
      return drainer(
          database,
          "%,d keys, %d of each".formatted(keys, OF_A_KEY),
          keys,
          topics -> topics.limitKeyInFlight(TOPIC, OF_A_KEY));
    }

    /** Without keys if {@code keys} is 0. */
    private static Contender drainer(
        QueueDatabase database, String name, int keys, Consumer<Topics> limit) {
      IntFunction<NewMessage> message =
          number -> {
            NewMessage plain = NewMessage.of(TOPIC, Work.of(number));
            return keys == 0 ? plain : plain.withLimitKey("key-" + number % keys);
          };
      return new Prepared(
          RowQueueDrainer.doing(
              name,
              new QueueTable(database, MessageProducer.create(), message),
              HandlerSettings.defaults(),
              (work, context) -> {}),
          messages -> {
            database.clean();
            limit.accept(Topics.of(Transactions.on(database.dataSource())));
          },
          messages -> database.clean());
    }
  }

  /** Drains over lines, few long ones and many short ones, beside one without ordering keys. */
  static final class LineDrain {

    private static final int SINGLE = 20_000;
    private static final int TOGETHER = 60_000;
    private static final int LEAST = 400;
    private static final int FEW_LINES = 100;

    private LineDrain() {}

    /** Shows what they came to, for each way to commit. */
    public static void show(Stage stage) throws Exception {
      HandlerSettings alone = HandlerSettings.defaults();
      show(stage, "a COMMIT each", alone, SINGLE);
      show(stage, "shared commits", alone.withSharedCommit(), TOGETHER);
      show(stage, "grouped acks", alone.withoutTransaction(), TOGETHER);
    }

    private static void show(Stage stage, String how, HandlerSettings settings, int size)
        throws Exception {
      QueueDatabase database = stage.database();
      int messages = stage.scaled(size, LEAST);
      RowQueueDrainer none = drainer(database, 0, settings);
      RowQueueDrainer few = drainer(database, FEW_LINES, settings);
      RowQueueDrainer many = drainer(database, messages / 2, settings);
      Standing end =
          new Contest(stage, "order", "drains over lines, " + how, messages)
              .show(none, List.of(none, few, many));
      stage
          .report()
          .bar(
              Bar.atLeast(
                  "many lines, " + how + ", to a drain without keys",
                  end.ratio(many, none, Effort::perSecond),
                  0.5));
    }

    /** Without keys if {@code keys} is 0. */
    private static RowQueueDrainer drainer(
        QueueDatabase database, int keys, HandlerSettings settings) {
      IntFunction<NewMessage> message =
          number -> {
            NewMessage plain = NewMessage.of(QueueTable.TOPIC, Work.of(number));
            return keys == 0 ? plain : plain.withOrderingKey("key-" + number % keys);
          };
      return RowQueueDrainer.doing(
          keys == 0 ? "without keys" : "%,d keys".formatted(keys),
          new QueueTable(database, MessageProducer.create(), message),
          settings,
          (work, context) -> {});
    }
  }

  /**
   * What it costs that payloads are of an old version and are brought to today's, and that messages
   * come under a former name of their topic.
   */
  static final class VersionDrain implements Workload {

    private static final int SINGLE = 20_000;
    private static final int TOGETHER = 60_000;
    private static final int LEAST = 400;
    private static final String FORMER = "bench-formerly";

    private static final Upcasters ONE_STEP =
        Upcasters.to(Second.class).from(1, tree -> tree.put("text", tree.remove("filler")));

    private static final Upcasters FIVE_STEPS =
        Upcasters.to(Sixth.class)
            .from(1, tree -> tree.put("text", tree.remove("filler")))
            .from(2, tree -> tree.putIfAbsent("currency", "EUR"))
            .from(3, tree -> tree.putIfAbsent("quantity", 1))
            .from(4, tree -> tree.put("article", tree.remove("text")))
            .from(5, tree -> tree.putIfAbsent("urgent", false));

    /** {@link Work} after one change. */
    @PayloadVersion(2)
    record Second(int number, String text) {}

    /** {@link Work} after five. */
    @PayloadVersion(6)
    record Sixth(int number, String article, String currency, int quantity, boolean urgent) {}

    @Override
    public String name() {
      return "versions";
    }

    @Override
    public String what() {
      return "messages handled a second that are of an old version, or came under a former name";
    }

    @Override
    public void run(Stage stage) throws Exception {
      HandlerSettings alone = HandlerSettings.defaults();
      drain(stage, "a COMMIT each", alone, SINGLE);
      drain(stage, "shared commits", alone.withSharedCommit(), TOGETHER);
      drain(stage, "grouped acks", alone.withoutTransaction(), TOGETHER);
    }

    private static void drain(Stage stage, String how, HandlerSettings settings, int size)
        throws Exception {
      QueueDatabase database = stage.database();
      QueueTable first = new QueueTable(database);
      HandlerSettings once = settings.withUpcasters(ONE_STEP);
      HandlerSettings fiveTimes = settings.withUpcasters(FIVE_STEPS);
      HandlerSettings renamed = settings.withFormerTopics(FORMER);
      Contender plain = RowQueueDrainer.taking(Work.class, "version 1, today's", first, settings);
      new Contest(stage, "versions", "versions, " + how, stage.scaled(size, LEAST))
          .show(
              plain,
              List.of(
                  plain,
                  RowQueueDrainer.taking(
                      Second.class, "version 2, today's", second(database), once),
                  RowQueueDrainer.taking(Second.class, "version 1, one step behind", first, once),
                  RowQueueDrainer.taking(
                      Sixth.class, "version 1, five steps behind", first, fiveTimes),
                  RowQueueDrainer.taking(
                      Work.class,
                      "under a former name",
                      new QueueTable(database, FORMER),
                      renamed)));
    }

    /** Its rows have a header that says so. */
    private static QueueTable second(QueueDatabase database) {
      return new QueueTable(
          database,
          MessageProducer.create(),
          number -> NewMessage.of(QueueTable.TOPIC, new Second(number, Work.of(number).filler())));
    }
  }

  /**
   * A drain whose topic uses no feature, in a worker whose other topics use none, or all of them.
   */
  static final class Unused implements Workload {

    private static final int SINGLE = 20_000;
    private static final int GROUPED = 60_000;
    private static final String KEPT = "kept-results";
    private static final String LIMITED = "limited";
    private static final Duration LONG = Duration.ofHours(1);

    @Override
    public String name() {
      return "features";
    }

    @Override
    public String what() {
      return "messages handled a second that use no feature, while other topics use them";
    }

    @Override
    public void run(Stage stage) throws Exception {
      HandlerSettings alone = HandlerSettings.defaults();
      measure(stage, "a COMMIT each", alone, SINGLE);
      measure(stage, "shared commits", alone.withSharedCommit(), SINGLE);
      measure(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
    }

    private static void measure(Stage stage, String how, HandlerSettings settings, int messages)
        throws Exception {
      QueueDatabase database = stage.database();
      Contender without =
          prepared(database, drainer("others use nothing", database, settings, plain()), () -> {});
      Contender with =
          prepared(
              database,
              drainer("others use everything", database, settings, featured()),
              () -> configure(database));
      Standing end =
          new Contest(stage, "features", "unused features, " + how, stage.scaled(messages, 200))
              .show(without, List.of(without, with));
      stage
          .report()
          .bar(
              Bar.atLeast(
                  "unused features, " + how + ": rate to that without",
                  end.ratio(with, without, Effort::perSecond),
                  0.97));
    }

    private static Contender drainer(
        String name, QueueDatabase database, HandlerSettings settings, Stream<Module> others) {
      return RowQueueDrainer.doing(name, new QueueTable(database), settings, (work, context) -> {})
          .beside(others.toList());
    }

    private static Contender prepared(QueueDatabase database, Contender drainer, Runnable before) {
      return new Prepared(
          drainer,
          messages -> {
            database.clean();
            before.run();
          },
          messages -> database.clean());
    }

    private static Stream<Module> plain() {
      return Stream.of(
          result(HandlerSettings.defaults()),
          Bindings.bind(LIMITED, (message, context) -> {}, HandlerSettings.defaults()));
    }

    private static Stream<Module> featured() {
      return Stream.of(
          result(HandlerSettings.defaults().withResults(LONG)),
          Bindings.bind(
              LIMITED,
              (message, context) -> {},
              HandlerSettings.defaults()
                  .withLongestTimeout(LONG)
                  .withFormerTopics("once-limited")
                  .withRequiredWrappers("deflate")),
          binder -> {
            SubscriptionBinder.bind(binder, "source", LIMITED);
            ScheduleBinder.bind(
                binder,
                Schedule.every("hourly", LONG).enqueues(NewMessage.of(LIMITED, new Numbered(1))));
            WrapperBinder.allow(binder, Deflate.reader());
          });
    }

    private static Module result(HandlerSettings settings) {
      return LambdaHandlers.bindResult(
          KEPT, Numbered.class, (message, context) -> message.number(), settings);
    }

    private static void configure(QueueDatabase database) {
      Topics topics = Topics.of(Transactions.on(database.dataSource()));
      Topic limited = new Topic(LIMITED);
      topics.limitInFlight(limited, 3);
      topics.limitPerSecond(limited, 100);
      topics.limitDepth(limited, 1_000);
      topics.limitAge(limited, LONG);
      topics.keep(limited, 7);
      topics.afterDeadLetter(limited, AfterDeadLetter.SET_ASIDE);
    }
  }
}
