package io.rowqueue.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.RowQueueDrainer.Mode;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
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
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Drains that use one feature, beside the same without it. */
final class Features {

  private static final Topic TOPIC = new Topic(QueueTable.TOPIC);
  private static final int FEW_KEYS = 100;
  private static final Duration LONG = Duration.ofHours(1);

  private Features() {}

  /** What it costs that messages are members of one batch, whose counters share their load. */
  static void batches(Stage stage) throws Exception {
    for (Mode mode : Mode.all(20_000, 20_000, 60_000)) {
      Drainer without = idle(stage, "RowQueue, no batch", mode);
      Drainer many = within(64, stage, mode);
      Standing end =
          stage.contest(
              "batches, " + mode.words(),
              stage.messages(mode.messages()),
              without,
              many,
              within(16, stage, mode),
              within(1, stage, mode));
      stage.atLeast(
          mode.words() + ": rate in a batch of 64 leaves to without", end.rate(many, without), 0.8);
      stage.database().execute("DELETE FROM queue_batch_leaf", "DELETE FROM queue_batch");
    }
  }

  private static Drainer within(int leaves, Stage stage, Mode mode) {
    QueueTable table = new QueueTable(stage.database());
    return RowQueueDrainer.idle("RowQueue, leaves: " + leaves, table, mode.settings())
        .filledBy(messages -> table.fill(messages, leaves));
  }

  private static RowQueueDrainer idle(Stage stage, String name, Mode mode) {
    return RowQueueDrainer.idle(name, new QueueTable(stage.database()), mode.settings());
  }

  /** What it costs to keep the results of handlers, and how soon one is awaited. */
  static void results(Stage stage) throws Exception {
    for (Mode mode : Mode.all(40_000, 40_000, 100_000)) {
      HandlerSettings settings = mode.settings();
      Drainer dropped = giving("RowQueue, dropped", stage, settings);
      Drainer kept = giving("RowQueue, kept", stage, settings.withResults(LONG));
      Standing end =
          stage.contest("results, " + mode.words(), stage.messages(mode.messages()), dropped, kept);
      stage.atLeast(mode.words() + ": rate with results to without", end.rate(kept, dropped), 0.7);
      stage.database().execute("DELETE FROM queue_result");
    }
    try (ResultWaits scene = new ResultWaits(stage.database())) {
      Map<String, Figures> millis = scene.measure(stage.scaled(1_000, 50));
      stage.figures("ms, one wait at a time", "millisEach", millis);
      Figures last = Objects.requireNonNull(millis.get(ResultWaits.LAST));
      stage.atMost("ms in the median, " + ResultWaits.LAST, last.median(), 4);
    }
  }

  /** Results of 200 bytes of JSON. */
  private static Drainer giving(String name, Stage stage, HandlerSettings settings) {
    String result = "r".repeat(198);
    return RowQueueDrainer.of(
        name,
        new QueueTable(stage.database()),
        done ->
            LambdaHandlers.bindResult(
                QueueTable.TOPIC,
                Work.class,
                (work, context) -> {
                  done.accept(1);
                  return result;
                },
                settings));
  }

  /** One thread that enqueues and awaits, over and over, and a worker in the same process. */
  private static final class ResultWaits implements AutoCloseable {

    /** Its ack's COMMIT, the notification and the poll. */
    private static final String LAST = "from the handler's return to the waiter's thread";

    private static final String TOPIC = "awaited";

    /** Code is compiled after some thousand calls; processes are up for days. */
    private static final int WARM_UP = 1_000;

    private final HikariDataSource pool;
    private final Worker worker;
    private final Results results;
    private final MessageProducer producer = MessageProducer.create();
    private volatile long begunNanos;
    private volatile long returnedNanos;

    ResultWaits(QueueDatabase database) {
      this.pool = Bare.plainPool(database.url(), 3);
      this.worker =
          Bindings.start(
              database.url(),
              List.of(
                  LambdaHandlers.bindResult(
                      TOPIC,
                      Numbered.class,
                      this::handle,
                      HandlerSettings.defaults().withResults(LONG))));
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
      List<Double> called = new ArrayList<>();
      List<Double> returned = new ArrayList<>();
      List<Double> all = new ArrayList<>();
      for (int number = -Math.min(WARM_UP, waits); number < waits; number++) {
        long start = System.nanoTime();
        Integer result =
            results.enqueueAndAwait(
                producer,
                NewMessage.of(TOPIC, new Numbered(number)),
                Integer.class,
                Duration.ofMinutes(1));
        long end = System.nanoTime();
        if (result == null || result != number) {
          throw new IllegalStateException("%d gave %s back".formatted(number, result));
        }
        if (number >= 0) {
          called.add((begunNanos - start) / 1e6);
          returned.add((end - returnedNanos) / 1e6);
          all.add((end - start) / 1e6);
        }
      }
      Map<String, Figures> figures = new LinkedHashMap<>();
      figures.put("from the call to the handler's first line", Figures.of(called));
      figures.put(LAST, Figures.of(returned));
      figures.put("in all", Figures.of(all));
      return figures;
    }

    @Override
    public void close() {
      results.close();
      worker.close();
      pool.close();
    }
  }

  /** What it costs to honor limits that hold nobody up: of a topic, and of each of many keys. */
  static void limits(Stage stage) throws Exception {
    int messages = stage.scaled(20_000, 400);
    Contender few = ofKeys(stage, FEW_KEYS);
    Contender lots = ofKeys(stage, messages / 2);
    Standing end =
        stage.contest(
            "limits that hold nobody up",
            messages,
            limited(stage, "no limit", 0, topics -> {}),
            limited(stage, "1,000 in flight", 0, topics -> topics.limitInFlight(TOPIC, 1_000)),
            limited(
                stage, "1,000,000 a second", 0, topics -> topics.limitPerSecond(TOPIC, 1_000_000)),
            few,
            lots,
            limited(
                stage,
                "100 keys, 1,000,000 a second each",
                FEW_KEYS,
                topics -> topics.limitKeyPerSecond(TOPIC, 1_000_000)));
    stage.atLeast("many keys with limits, to few", end.rate(lots, few), 0.5);
  }

  private static Contender ofKeys(Stage stage, int keys) {
    String name = "%,d keys, 4 of each".formatted(keys);
    return limited(stage, name, keys, topics -> topics.limitKeyInFlight(TOPIC, 4));
  }

  /** Without keys if {@code keys} is 0. */
  private static Contender limited(Stage stage, String name, int keys, Consumer<Topics> limit) {
    QueueDatabase database = stage.database();
    IntFunction<NewMessage> message =
        number -> {
          NewMessage plain = NewMessage.of(TOPIC, Work.of(number));
          return keys == 0 ? plain : plain.withLimitKey("key-" + number % keys);
        };
    return prepared(
        RowQueueDrainer.idle(name, new QueueTable(database, message), HandlerSettings.defaults()),
        database,
        () -> limit.accept(Topics.of(Transactions.on(database.dataSource()))));
  }

  private static Contender prepared(Contender drainer, QueueDatabase database, Runnable before) {
    return new Prepared(
        drainer,
        messages -> {
          database.clean();
          before.run();
        },
        messages -> database.clean());
  }

  /** Drains with few ordering keys and with many, beside one without. */
  static void orderingKeys(Stage stage) throws Exception {
    for (Mode mode : Mode.all(20_000, 60_000, 60_000)) {
      int messages = stage.scaled(mode.messages(), 400);
      Contender none = ordered(stage, 0, mode);
      Contender many = ordered(stage, messages / 2, mode);
      Standing end =
          stage.contest(
              "drains over lines, " + mode.words(),
              messages,
              none,
              ordered(stage, FEW_KEYS, mode),
              many);
      stage.atLeast(
          "many lines, " + mode.words() + ", to a drain without keys", end.rate(many, none), 0.5);
    }
  }

  /** Without keys if {@code keys} is 0. */
  private static Contender ordered(Stage stage, int keys, Mode mode) {
    IntFunction<NewMessage> message =
        number -> {
          NewMessage plain = NewMessage.of(TOPIC, Work.of(number));
          return keys == 0 ? plain : plain.withOrderingKey("key-" + number % keys);
        };
    return RowQueueDrainer.idle(
        keys == 0 ? "without keys" : "%,d keys".formatted(keys),
        new QueueTable(stage.database(), message),
        mode.settings());
  }

  /** {@link Work} after one change. */
  @PayloadVersion(2)
  record Second(int number, String text) {}

  /** {@link Work} after five. */
  @PayloadVersion(6)
  record Sixth(int number, String article, String currency, int quantity, boolean urgent) {}

  /** What upcasting old payloads costs, and messages under a former name of their topic. */
  static void versions(Stage stage) throws Exception {
    Upcasters oneStep =
        Upcasters.to(Second.class).from(1, tree -> tree.put("text", tree.remove("filler")));
    Upcasters fiveSteps =
        Upcasters.to(Sixth.class)
            .from(1, tree -> tree.put("text", tree.remove("filler")))
            .from(2, tree -> tree.putIfAbsent("currency", "EUR"))
            .from(3, tree -> tree.putIfAbsent("quantity", 1))
            .from(4, tree -> tree.put("article", tree.remove("text")))
            .from(5, tree -> tree.putIfAbsent("urgent", false));
    QueueDatabase database = stage.database();
    String former = "bench-formerly";
    QueueTable first = new QueueTable(database);
    QueueTable second =
        new QueueTable(
            database, number -> NewMessage.of(TOPIC, new Second(number, Work.of(number).filler())));
    for (Mode mode : Mode.all(20_000, 60_000, 60_000)) {
      HandlerSettings settings = mode.settings();
      HandlerSettings once = settings.withUpcasters(oneStep);
      stage.contest(
          "versions, " + mode.words(),
          stage.scaled(mode.messages(), 400),
          taking(Work.class, "version 1, today's", first, settings),
          taking(Second.class, "version 2, today's", second, once),
          taking(Second.class, "version 1, one step behind", first, once),
          taking(
              Sixth.class,
              "version 1, five steps behind",
              first,
              settings.withUpcasters(fiveSteps)),
          taking(
              Work.class,
              "under a former name",
              new QueueTable(database, former),
              settings.withFormerTopics(former)));
    }
  }

  private static Contender taking(
      Class<?> payload, String name, QueueTable table, HandlerSettings settings) {
    return RowQueueDrainer.of(
        name,
        table,
        done ->
            LambdaHandlers.bind(
                QueueTable.TOPIC, payload, (taken, context) -> done.accept(1), settings));
  }

  /** A drain that uses no feature, in a worker whose other topics use none, or all of them. */
  static void unused(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    for (Mode mode : Mode.all(20_000, 20_000, 60_000)) {
      Contender without =
          prepared(idle(stage, "others use nothing", mode).beside(plain()), database, () -> {});
      Contender with =
          prepared(
              idle(stage, "others use everything", mode).beside(featured()),
              database,
              () -> configure(Topics.of(Transactions.on(database.dataSource()))));
      Standing end =
          stage.contest(
              "unused features, " + mode.words(),
              stage.scaled(mode.messages(), 200),
              without,
              with);
      stage.atLeast(
          "unused features, " + mode.words() + ": rate to that without",
          end.rate(with, without),
          0.97);
    }
  }

  private static List<Module> plain() {
    return List.of(
        result(HandlerSettings.defaults()),
        Bindings.bind("limited", (message, context) -> {}, HandlerSettings.defaults()));
  }

  private static List<Module> featured() {
    return List.of(
        result(HandlerSettings.defaults().withResults(LONG)),
        Bindings.bind(
            "limited",
            (message, context) -> {},
            HandlerSettings.defaults()
                .withLongestTimeout(LONG)
                .withFormerTopics("once-limited")
                .withRequiredWrappers("deflate")),
        binder -> {
          SubscriptionBinder.bind(binder, "source", "limited");
          ScheduleBinder.bind(
              binder,
              Schedule.every("hourly", LONG).enqueues(NewMessage.of("limited", new Numbered(1))));
          WrapperBinder.allow(binder, Deflate.reader());
        });
  }

  private static Module result(HandlerSettings settings) {
    return LambdaHandlers.bindResult(
        "kept-results", Numbered.class, (message, context) -> message.number(), settings);
  }

  private static void configure(Topics topics) {
    Topic limited = new Topic("limited");
    topics.limitInFlight(limited, 3);
    topics.limitPerSecond(limited, 100);
    topics.limitDepth(limited, 1_000);
    topics.limitAge(limited, LONG);
    topics.keep(limited, 7);
    topics.afterDeadLetter(limited, AfterDeadLetter.SET_ASIDE);
  }
}
