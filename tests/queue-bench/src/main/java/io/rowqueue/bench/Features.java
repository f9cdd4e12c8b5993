package io.rowqueue.bench;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Enqueue.Commits;
import io.rowqueue.bench.RowQueueDrainer.Mode;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.CancelMessage;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.message.PayloadVersion;
import io.rowqueue.message.Topic;
import io.rowqueue.message.Upcasters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.result.Results;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.ScheduleBinder;
import io.rowqueue.seal.Sealed;
import io.rowqueue.subscribe.SubscriptionBinder;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import io.rowqueue.wrap.Zstd;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

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

  @PayloadVersion(2)
  record Second(int number, String text) {}

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
        result(HandlerSettings.defaults()), Bindings.bind("limited", (message, context) -> {}));
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

  /**
   * What it costs that messages are steps of chains. What a step's enqueueing costs is in its
   * drain, while plain messages are enqueued before it; so handlers that enqueue the next step
   * themselves, in their transactions, are measured beside both.
   */
  static final class Chains {

    private static final int USUAL = 4;
    private static final int LONG = 16;
    private static final int LEAST = 480;

    /** Chains that are enqueued with one COMMIT. */
    private static final int A_COMMIT = 500;

    private Chains() {}

    static void run(Stage stage) throws Exception {
      for (Mode mode : Mode.all(16_000, 48_000, 48_000)) {
        QueueDatabase database = stage.database();
        Contender plain =
            RowQueueDrainer.idle("no chains", new QueueTable(database), mode.settings());
        Contender byHand = byHand(database, mode.settings());
        Contender two = chains(database, 2, mode.settings());
        Contender four = chains(database, USUAL, mode.settings());
        Contender sixteen = chains(database, LONG, mode.settings());
        Standing end =
            stage.contest(
                "chains, " + mode.words(),
                stage.scaled(mode.messages(), LEAST) / LONG * LONG,
                plain,
                mode.hasTransaction()
                    ? new Contender[] {byHand, two, four, sixteen}
                    : new Contender[] {two, four, sixteen});
        if (mode.hasTransaction()) {
          stage.atLeast(
              mode.words() + ": chains of 4 to the same by hand", end.rate(four, byHand), 0.5);
        }
        stage.atLeast(mode.words() + ": chains of 16 to chains of 2", end.rate(sixteen, two), 0.5);
      }
    }

    private static Contender chains(QueueDatabase database, int steps, HandlerSettings settings) {
      return RowQueueDrainer.idle("chains of " + steps, new QueueTable(database), settings)
          .filledBy(messages -> enqueue(database, messages / steps, steps));
    }

    private static void enqueue(QueueDatabase database, int chains, int steps) throws SQLException {
      ChainProducer producer = ChainProducer.over(MessageProducer.create());
      try (Connection connection = Bare.connect(database)) {
        for (int number = 0; number < chains; number++) {
          producer.enqueue(connection, chain(number * steps, steps));
          if (number % A_COMMIT == 0) {
            connection.commit();
          }
        }
        connection.commit();
      }
    }

    private static Chain chain(int first, int steps) {
      Chain chain = Chain.of(message(first));
      for (int number = first + 1; number < first + steps; number++) {
        chain = chain.then(message(number));
      }
      return chain;
    }

    private static NewMessage message(int number) {
      return NewMessage.of(QueueTable.TOPIC, Work.of(number));
    }

    /** Each handler but every fourth enqueues the next number. */
    private static Contender byHand(QueueDatabase database, HandlerSettings settings) {
      MessageProducer producer = MessageProducer.create();
      QueueTable table = new QueueTable(database, producer, chain -> message(chain * USUAL));
      return RowQueueDrainer.doing(
              "handlers that enqueue the next of 4",
              table,
              settings,
              (work, context) -> {
                int next = work.number() + 1;
                if (next % USUAL != 0) {
                  producer.enqueue(context.connection(), message(next));
                }
              })
          .filledBy(messages -> table.fill(messages / USUAL));
    }
  }

  /** What handlers pay that report, poll and extend, and how soon one sees its cancellation. */
  static final class LongHandlers {

    private static final int TIMES = 10;
    private static final Duration EXTENSION = Duration.ofMinutes(1);

    private LongHandlers() {}

    static void run(Stage stage) throws Exception {
      stage.contest(
          "handlers, each ten times",
          stage.scaled(20_000, 200),
          drainer(stage, "plain", context -> {}),
          drainer(stage, "reporting", context -> context.progress(1, TIMES, "on the way")),
          drainer(stage, "looking for a wish", LongHandlers::poll),
          drainer(stage, "extending", context -> context.extendTimeout(EXTENSION)));
      Figures millis = CancelWaits.measure(stage.database(), stage.scaled(96, 8));
      stage.figures(
          "ms from a wish's COMMIT to the handler's look", "millisEach", Map.of("", millis));
      stage.atMost("ms until a wish is seen, median", millis.median(), 700);
      stage.atMost("ms until a wish is seen, longest", millis.max(), 1_200);
    }

    /** All of them may take longer, so that this makes no difference. */
    private static Contender drainer(Stage stage, String name, Consumer<HandlerContext> deed) {
      return RowQueueDrainer.doing(
          name,
          new QueueTable(stage.database()),
          HandlerSettings.defaults().withLongestTimeout(EXTENSION.multipliedBy(10)),
          (work, context) -> {
            for (int i = 0; i < TIMES; i++) {
              deed.accept(context);
            }
          });
    }

    private static void poll(HandlerContext context) {
      if (context.isCancelAsked()) {
        throw new IllegalStateException("nobody has asked");
      }
    }

    /** Handlers that run until somebody wants them to stop, and look all the time. */
    static final class CancelWaits {

      private static final String TOPIC = "endless";
      private static final Duration LONGEST = Duration.ofMinutes(1);
      private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

      private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

      /**
       * A group begins when the one before has seen its wishes, just behind a look: so that wishes
       * come at any time between two looks, the first waits for longer than from one to the next.
       */
      private static final long BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_400);

      private final Map<MessageId, Boolean> begun = new ConcurrentHashMap<>();
      private final Map<MessageId, Long> seen = new ConcurrentHashMap<>();

      private CancelWaits() {}

      /** From the COMMIT of each of so many wishes to the handler that sees it, in ms. */
      static Figures measure(QueueDatabase database, int wishes) {
        CancelWaits scene = new CancelWaits();
        Messages messages = Messages.of(Transactions.on(database.dataSource()));
        List<Double> millis = new ArrayList<>();
        try (Worker worker =
            Bindings.start(database.url(), List.of(Bindings.bind(TOPIC, scene::handle)))) {
          while (millis.size() < wishes) {
            scene.group(database, messages, millis);
          }
        }
        return Figures.of(millis);
      }

      private void handle(Numbered message, HandlerContext context) throws CancelMessage {
        begun.put(context.id(), true);
        while (!context.isCancelAsked() && !Thread.currentThread().isInterrupted()) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
        seen.put(context.id(), System.nanoTime());
        throw new CancelMessage("as was asked");
      }

      /** As many at once as run on the threads of a worker with the defaults. */
      private void group(QueueDatabase database, Messages messages, List<Double> millis) {
        List<MessageId> ids =
            MessageProducer.create()
                .enqueueAll(
                    database.dataSource(),
                    IntStream.range(0, 8)
                        .mapToObj(number -> NewMessage.of(TOPIC, new Numbered(number)))
                        .toList());
        Await.that("all run", LONGEST, () -> begun.keySet().containsAll(ids));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(BEFORE_NANOS));
        Map<MessageId, Long> asked = new HashMap<>();
        for (MessageId id : ids) {
          LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(BETWEEN_NANOS));
          messages.askCancel(id, "bench");
          asked.put(id, System.nanoTime());
        }
        Await.that("all have seen it", LONGEST, () -> seen.keySet().containsAll(ids));
        asked.forEach((id, at) -> millis.add((seen.getOrDefault(id, at) - at) / 1e6));
      }
    }
  }

  /** What it costs to compress, to encrypt and to store payloads apart, on both sides. */
  static final class Codecs {

    private static final int KIB = 1_024;

    /** What each turn moves, but for small payloads. */
    private static final int BYTES = 64 * KIB * KIB;

    private Codecs() {}

    static void run(Stage stage) throws Exception {
      KeysetHandle keyset =
          KeysetHandle.generateNew(
              PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
      Sealed sealed = Sealed.with(() -> keyset);
      Map<String, Wrapping> wrappings = new LinkedHashMap<>();
      wrappings.put("plain", Wrapping.none());
      wrappings.put("deflate", Wrapping.none().forTopic(QueueTable.TOPIC, Deflate.above(0)));
      wrappings.put("zstd", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0)));
      wrappings.put("sealed", Wrapping.none().forTopic(QueueTable.TOPIC, sealed));
      wrappings.put(
          "zstd, sealed", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0), sealed));
      Map<String, MessageProducer> producers = new LinkedHashMap<>();
      wrappings.forEach(
          (name, wrapping) ->
              producers.put(
                  name, MessageProducer.create().ringing(Ring.SILENT).wrapping(wrapping)));
      Module readers =
          binder -> WrapperBinder.allow(binder, Deflate.reader(), Zstd.reader(), sealed);
      for (Turns turns :
          List.of(
              new Turns(", 1 KB", records(KIB), stage.scaled(8_000, 200), 100),
              new Turns(", 20 KB", records(20 * KIB), stage.scaled(2_000, 200), 100))) {
        measure(stage, turns, producers, List.of(readers));
      }
    }

    /** Payloads of several sizes in their rows, and beside them: from which size on that pays. */
    static void largePayloads(Stage stage) throws Exception {
      for (int kib : new int[] {8, 32, 128, 1_000}) {
        MessageLimits limits = MessageLimits.defaults();
        Map<String, MessageProducer> producers = new LinkedHashMap<>();
        producers.put("in the row", producer(limits.withBodyAbove(2 * kib * KIB)));
        producers.put("beside it", producer(limits.withBodyAbove(KIB)));
        int messages = stage.scaled(Math.min(BYTES / (kib * KIB), 2_000), 20);
        measure(
            stage,
            new Turns(", %,d KiB".formatted(kib), records(kib * KIB), messages, 10),
            producers,
            List.of());
      }
    }

    private static MessageProducer producer(MessageLimits limits) {
      return MessageProducer.create(PayloadCodec.json(), limits).ringing(Ring.SILENT);
    }

    /** Turns with payloads of one size. */
    private record Turns(String size, IntFunction<NewMessage> records, int messages, int each) {}

    private static void measure(
        Stage stage, Turns turns, Map<String, MessageProducer> producers, List<Module> readers)
        throws Exception {
      QueueDatabase database = stage.database();
      List<Contender> enqueue = new ArrayList<>();
      List<Contender> drain = new ArrayList<>();
      producers.forEach(
          (name, producer) -> {
            enqueue.add(
                Commits.of(
                    name, new Commits.Calls(database, 1, turns.each), producer, turns.records));
            drain.add(
                RowQueueDrainer.idle(
                        name,
                        new QueueTable(database, producer, turns.records),
                        HandlerSettings.defaults())
                    .beside(readers));
          });
      stage.contest(
          "enqueue, %d a call%s".formatted(turns.each, turns.size), turns.messages, enqueue);
      stage.contest("drain" + turns.size, turns.messages, drain);
    }

    /**
     * Payloads of about {@code bytes} that shrink as records of real life do: names that recur, and
     * numbers that do not; the same in every run.
     */
    private static IntFunction<NewMessage> records(int bytes) {
      List<String> texts = IntStream.range(0, 64).mapToObj(number -> text(number, bytes)).toList();
      return number ->
          NewMessage.of(QueueTable.TOPIC, new Work(number, texts.get(number % texts.size())));
    }

    private static String text(int number, int bytes) {
      Random random = new Random(number);
      StringBuilder text = new StringBuilder();
      while (text.length() < bytes) {
        text.append(
            "article: %08x, quantity: %d, price: %d.%02d EUR, shelf: %c%d; "
                .formatted(
                    random.nextInt(),
                    1 + random.nextInt(20),
                    random.nextInt(1_000),
                    random.nextInt(100),
                    'A' + random.nextInt(26),
                    random.nextInt(100)));
      }
      return text.substring(0, bytes);
    }
  }
}
