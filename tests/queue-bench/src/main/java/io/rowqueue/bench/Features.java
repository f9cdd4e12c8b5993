package io.rowqueue.bench;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadVersion;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.RowQueueDrainer.Mode;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Prepared;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Topics;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Zstd;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Drains of messages that use a feature beside plain messages, by turns, in each of the three ways
 * in which handlers commit.
 */
final class Features {

  static final List<Feature> ALL =
      List.of(
          new Feature(
              "order",
              "ordering keys: few, and half as many as messages",
              Bar.rate(0, 0.65),
              Scene::order),
          new Feature(
              "limits",
              "limits that delay no message: of a topic, of 100 keys",
              Bar.rate(0, 0.5),
              Scene::limits),
          new Feature("chains", "steps of chains of four", Bar.rate(0, 0.6), Scene::chains),
          new Feature(
              "batches",
              "members of one batch of 16 and of 64 shards",
              Bar.rate(0, 0.85),
              Scene::batches),
          new Feature("results", "results that are kept", Bar.rate(0, 0.7), Scene::results),
          new Feature(
              "finish",
              "history that is kept",
              new Bar(0, Effort::serverMicrosEach, false, 1.5),
              Scene::history),
          new Feature("codecs", "payloads compressed, and encrypted", null, Scene::codecs),
          new Feature("payloads", "payloads stored separately", null, Scene::bodies),
          new Feature(
              "versions", "payloads of an old version, a former topic", null, Scene::versions),
          new Feature(
              "longhandlers", "ten reports, ten extensions a handler", null, Scene::longHandlers));

  private static final Topic TOPIC = new Topic(QueueTable.TOPIC);
  private static final int KEYS = 100;
  private static final int STEPS = 4;
  private static final int TIMES = 10;
  private static final Duration LONG = Duration.ofHours(1);

  private Features() {}

  /** What a feature costs, and what the last of its contenders must reach, if anything. */
  record Feature(String name, String what, @Nullable Bar bar, Ways ways) {

    void run(Stage stage) throws Exception {
      for (Mode mode : Mode.all(20_000, 40_000, 60_000)) {
        int messages = stage.messages(mode.messages()) / STEPS * STEPS;
        Scene scene = new Scene(stage.database(), mode, messages);
        List<Contender> all = new ArrayList<>(List.of(scene.plain()));
        all.addAll(ways.of(scene));
        if (all.size() == 1) {
          continue;
        }
        Standing end = stage.contest(name + ", " + mode.words(), messages, all);
        if (bar != null) {
          bar.hold(stage, end, all, mode);
        }
      }
    }
  }

  /**
   * For the last contender's share of a figure of the one at {@code other}; 0 is plain messages.
   */
  private record Bar(int other, ToDoubleFunction<Effort> figure, boolean atLeast, double limit) {

    static Bar rate(int other, double limit) {
      return new Bar(other, Effort::perSecond, true, limit);
    }

    void hold(Stage stage, Standing end, List<Contender> all, Mode mode) {
      Contender last = all.get(all.size() - 1);
      if (other == all.size() - 1) {
        return;
      }
      double share = end.ratio(last, all.get(other), figure);
      String what =
          "%s, %s: %s, to %s"
              .formatted(
                  last.name(),
                  mode.words(),
                  atLeast ? "rate" : "server CPU",
                  all.get(other).name());
      if (atLeast) {
        stage.atLeast(what, share, limit);
      } else {
        stage.atMost(what, share, limit);
      }
    }
  }

  private interface Ways {
    List<Contender> of(Scene scene) throws GeneralSecurityException;
  }

  @PayloadVersion(2)
  record Second(int number, String text) {}

  /** Where contenders of one round are made. */
  private record Scene(QueueDatabase database, Mode mode, int messages) {

    private HandlerSettings settings() {
      return mode.settings();
    }

    Contender plain() {
      return RowQueueDrainer.idle("plain messages", new QueueTable(database), settings());
    }

    /** Of messages that {@code change} makes of plain ones. */
    private RowQueueDrainer messages(String name, IntFunction<UnaryOperator<NewMessage>> change) {
      QueueTable table =
          new QueueTable(database, number -> change.apply(number).apply(message(number)));
      return RowQueueDrainer.idle(name, table, settings());
    }

    /** With the queue emptied, and {@code before} done, before each turn. */
    private Contender with(Consumer<Topics> before, Contender drainer) {
      return new Prepared(
          drainer,
          count -> {
            database.clean();
            before.accept(QueueOperations.of(database.dataSource()).topics());
          },
          count -> database.clean());
    }

    List<Contender> order() {
      return List.of(ordered(KEYS), ordered(messages / 2));
    }

    private Contender ordered(int keys) {
      return messages(
          "%,d ordering keys".formatted(keys),
          number -> plain -> plain.withOrderingKey("key-" + number % keys));
    }

    List<Contender> limits() {
      return List.of(
          with(
              topics -> topics.change(TOPIC, set -> set.withMaxInFlight(1_000)),
              messages("1,000 in flight", number -> plain -> plain)),
          with(
              topics -> topics.change(TOPIC, set -> set.withMaxPerSecond(1_000_000)),
              messages("1,000,000 a second", number -> plain -> plain)),
          with(
              topics -> topics.change(TOPIC, set -> set.withKeyInFlight(STEPS)),
              keyed("of each of 100 keys, 4 in flight")),
          with(
              topics -> topics.change(TOPIC, set -> set.withKeyPerSecond(1_000_000)),
              keyed("of each of 100 keys, 1,000,000 a second")));
    }

    private Contender keyed(String name) {
      return messages(name, number -> plain -> plain.withLimitKey("key-" + number % KEYS));
    }

    /**
     * A step is enqueued by the ack before it, within what is measured, and plain messages before;
     * so handlers that enqueue the next of four in their transactions stand beside both.
     */
    List<Contender> chains() {
      QueueTable table = new QueueTable(database);
      Contender chains =
          RowQueueDrainer.idle("chains of four", table, settings()).filledBy(this::enqueueChains);
      if (!mode.hasTransaction()) {
        return List.of(chains);
      }
      MessageProducer producer = MessageProducer.create();
      QueueTable firsts = new QueueTable(database, producer, chain -> message(chain * STEPS));
      return List.of(
          RowQueueDrainer.doing(
                  "handlers that enqueue the next of four",
                  firsts,
                  settings(),
                  (work, context) -> {
                    int next = work.number() + 1;
                    if (next % STEPS != 0) {
                      producer.enqueue(context.connection(), message(next));
                    }
                  })
              .filledBy(count -> firsts.fill(count / STEPS)),
          chains);
    }

    private void enqueueChains(int count) throws SQLException {
      ChainProducer producer = ChainProducer.over(MessageProducer.create());
      try (Connection connection = Bare.connect(database)) {
        for (int first = 0; first < count; first += STEPS) {
          Chain chain = Chain.of(message(first));
          for (int step = 1; step < STEPS; step++) {
            chain = chain.then(message(first + step));
          }
          producer.enqueue(connection, chain);
        }
        connection.commit();
      }
    }

    List<Contender> batches() {
      return List.of(members(16), members(64));
    }

    private Contender members(int shards) {
      QueueTable table = new QueueTable(database);
      return with(
          topics -> {},
          RowQueueDrainer.idle("a batch of %d shards".formatted(shards), table, settings())
              .filledBy(count -> table.fill(count, shards)));
    }

    /** Results of 200 bytes of JSON. */
    List<Contender> results() {
      String result = "r".repeat(198);
      return List.of(
          with(
              topics -> {},
              RowQueueDrainer.of(
                  "results kept",
                  new QueueTable(database),
                  done ->
                      LambdaHandlers.bindResult(
                          QueueTable.TOPIC,
                          Work.class,
                          (work, context) -> {
                            done.accept(1);
                            return result;
                          },
                          settings().withResults(LONG)))));
    }

    List<Contender> history() {
      return List.of(
          new Prepared(
              messages("history kept", number -> plain -> plain),
              count ->
                  QueueOperations.of(database.dataSource())
                      .topics()
                      .change(TOPIC, set -> set.withRetentionDays(7)),
              count -> {
                long kept = database.count("SELECT COUNT(*) FROM queue_archive");
                database.clean();
                if (kept != count) {
                  throw new IllegalStateException(
                      "%d of %d messages were kept".formatted(kept, count));
                }
              }));
    }

    List<Contender> codecs() throws GeneralSecurityException {
      KeysetHandle keys =
          KeysetHandle.generateNew(
              PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
      Sealed sealed = Sealed.with(() -> keys);
      return List.of(
          wrapped("zstd", sealed, Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0))),
          wrapped("encrypted", sealed, Wrapping.none().forTopic(QueueTable.TOPIC, sealed)));
    }

    private Contender wrapped(String name, Sealed sealed, Wrapping wrapping) {
      return by(name, MessageProducer.create().wrapping(wrapping))
          .beside(List.of(binder -> WrapperBinder.allow(binder, Zstd.reader(), sealed)));
    }

    private RowQueueDrainer by(String name, MessageProducer producer) {
      QueueTable table =
          new QueueTable(database, producer.notifying(WorkerNotifier.SILENT), Scene::message);
      return RowQueueDrainer.idle(name, table, settings());
    }

    List<Contender> bodies() {
      MessageLimits limits = MessageLimits.defaults().withBodyAbove(1);
      return List.of(by("stored separately", MessageProducer.create(PayloadCodec.json(), limits)));
    }

    List<Contender> versions() {
      Upcasters upcasters =
          Upcasters.to(Second.class).from(1, tree -> tree.put("text", tree.remove("filler")));
      String former = "bench-formerly";
      return List.of(
          RowQueueDrainer.of(
              "one version behind",
              new QueueTable(database),
              done ->
                  LambdaHandlers.bind(
                      QueueTable.TOPIC,
                      Second.class,
                      (second, context) -> done.accept(1),
                      settings().withUpcasters(upcasters))),
          RowQueueDrainer.idle(
              "under a former name",
              new QueueTable(database, former),
              settings().withFormerTopics(former)));
    }

    /** Handlers that share a commit may do neither. */
    List<Contender> longHandlers() {
      if (mode.isShared()) {
        return List.of();
      }
      HandlerSettings extendable = settings().withLongestTimeout(LONG);
      QueueTable table = new QueueTable(database);
      return List.of(
          RowQueueDrainer.doing(
              "ten reports",
              table,
              settings(),
              (work, context) ->
                  IntStream.range(0, TIMES)
                      .forEach(time -> context.progress(time, TIMES, "on the way"))),
          RowQueueDrainer.doing(
              "ten extensions",
              table,
              extendable,
              (work, context) ->
                  IntStream.range(0, TIMES)
                      .forEach(time -> context.extendTimeout(Duration.ofMinutes(1)))));
    }

    private static NewMessage message(int number) {
      return NewMessage.of(TOPIC, Work.of(number));
    }
  }
}
