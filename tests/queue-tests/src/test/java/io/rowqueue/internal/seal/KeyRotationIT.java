package io.rowqueue.internal.seal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.KeyUse;
import io.rowqueue.operate.KeysInUse;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.spi.Deflate;
import io.rowqueue.spi.KeyId;
import io.rowqueue.spi.KeysetSource;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QueueTest
class KeyRotationIT {

  private final QueueDatabase database;
  private final KeysInUse keys;

  KeyRotationIT(QueueDatabase database) {
    this.database = database;
    this.keys = QueueOperations.of(database.dataSource()).keysInUse();
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  private static Wrapping sealedWith(KeysetSource source, String... topics) {
    Sealed sealed = Sealed.with(source);
    return Stream.of(topics)
        .reduce(Wrapping.none(), (all, topic) -> all.forTopic(topic, sealed), (a, b) -> b);
  }

  private static MessageProducer producer(KeysetSource source) {
    return MessageProducer.create().wrapping(sealedWith(source, "order", "other", "done"));
  }

  private static Module reading(KeysetSource source) {
    return binder -> WrapperBinder.allow(binder, Sealed.with(source));
  }

  private TestWorker worker(KeysetSource source) {
    return TestWorker.start(
        database, config -> config, Handlers.bind("order", Orders::write), reading(source));
  }

  private static List<NewMessage> orders(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> NewMessage.of("order", new Order(number)))
        .toList();
  }

  private static KeyUse use(String table, KeyId key, long payloads) {
    return new KeyUse(table, key, payloads);
  }

  @Test
  void use_ofAKey_isFoundWhereverItsPayloadsLie() {
    Keysets.Rotating source = new Keysets.Rotating();
    KeyId old = source.primary();
    MessageProducer first = producer(source);
    leaveSomethingEverywhere(first, source);
    KeyId young = source.rotate();
    MessageProducer second = producer(source);
    second.enqueueAll(database.dataSource(), orders(0, 2));
    MessageProducer.create().enqueueAll(database.dataSource(), orders(2, 5));
    assertThat(keys.find())
        .containsExactlyInAnyOrder(
            use("queue_archive", old, 1),
            use("queue_batch", old, 1),
            use("queue_chain_step", old, 2),
            use("queue_dead_letter", old, 1),
            use("queue_message", old, 4),
            use("queue_result", old, 1),
            use("queue_schedule", old, 1),
            use("queue_message", young, 2));
  }

  /** Of each kind of row one, and in the queue a small one, a large one, a step and a member. */
  private void leaveSomethingEverywhere(MessageProducer producer, KeysetSource source) {
    Transactions transactions = Transactions.on(database.dataSource());
    new JooqTopics(transactions).change(new Topic("order"), set -> set.withRetentionDays(7));
    producer.enqueueAll(database.dataSource(), orders(0, 2));
    Module handler =
        LambdaHandlers.bindResult(
            "order",
            Order.class,
            (order, context) -> {
              if (order.number() == 1) {
                throw new PermanentFailure("never");
              }
              return order.number();
            },
            HandlerSettings.defaults().withResults(Duration.ofHours(1)));
    Module wrapping = binder -> WrapperBinder.wrap(binder, sealedWith(source, "order"));
    Orders.drain(
        database, TestWorker.start(database, config -> config, handler, wrapping, reading(source)));
    NewMessage small = NewMessage.of("other", "small");
    producer.enqueue(database.dataSource(), small);
    producer.enqueue(database.dataSource(), NewMessage.of("other", new byte[100_000]));
    ChainProducer.over(producer)
        .enqueue(database.dataSource(), Chain.of(small).then(small).then(small));
    BatchProducer.over(producer)
        .enqueue(
            database.dataSource(),
            BatchSettings.named("import").completingWith(NewMessage.of("done", "all")),
            List.of(small));
    new JooqSchedules(transactions)
        .wrapping(sealedWith(source, "other"))
        .set(Schedule.every("sealed", Duration.ofHours(1)).enqueues(small));
  }

  /** It moves when one of both tables has been read, and the other has not. */
  @ParameterizedTest
  @CsvSource({
    "queue_chain_step, queue_message",
    "queue_dead_letter, queue_message",
    "queue_message, queue_dead_letter"
  })
  void use_ofAKey_isFoundWhileItsPayloadMoves(String from, String to) {
    Keysets.Rotating source = new Keysets.Rotating();
    producer(source).enqueueAll(database.dataSource(), orders(0, 1));
    if (!from.equals("queue_message")) {
      move("queue_message", from);
    }
    Set<String> read = new HashSet<>();
    Tap moving =
        new Tap() {
          @Override
          public void before(Sent sent, Connection real) {
            Stream.of(from, to)
                .filter(table -> sent.sql().contains("from `%s`".formatted(table)))
                .forEach(read::add);
            if (read.size() == 2 && read.add("both")) {
              move(from, to);
            }
          }
        };
    DataSource connections = TappedConnections.over(database.dataSource(), moving);
    assertThat(QueueOperations.of(connections).keysInUse().find())
        .extracting(KeyUse::key)
        .contains(source.primary());
    assertThat(database.count("SELECT COUNT(*) FROM " + to)).isOne();
  }

  private void move(String from, String to) {
    Map<String, String> columns =
        Map.of(
            "queue_message",
            "topic, headers, payload) SELECT topic, headers, payload",
            "queue_chain_step",
            "chain_id, step, topic, priority, delay_micros, headers, payload)"
                + " SELECT 1, 2, topic, 0, 0, headers, payload",
            "queue_dead_letter",
            "id, topic, priority, claim_number, attempts, lost_claims, reason, detail, worker,"
                + " due_at, created_at, dead_at, headers, payload) SELECT 7, topic, 0, 0, 0, 0,"
                + " 'r', '', 'w', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), headers,"
                + " payload");
    database.execute(
        "INSERT INTO %s (%s FROM %s".formatted(to, columns.get(to), from), "DELETE FROM " + from);
  }

  @Test
  void manyRows_areWalkedThroughToTheLast() {
    Keysets.Rotating source = new Keysets.Rotating();
    MessageProducer.create().enqueueAll(database.dataSource(), orders(0, 1_500));
    producer(source).enqueueAll(database.dataSource(), orders(0, 2_000));
    assertThat(keys.find()).containsExactly(use("queue_message", source.primary(), 2_000));
  }

  @Test
  void whatCannotBeTold_isCountedWithoutAKey() {
    Sealed sealed = Sealed.with(Keysets.fresh());
    MessageProducer.create()
        .wrapping(Wrapping.none().forTopic("order", Deflate.above(0), sealed))
        .enqueueAll(database.dataSource(), orders(0, 3));
    database.execute(
        "UPDATE queue_message SET payload = 'x' WHERE id = "
            + database.strings("SELECT MIN(id) FROM queue_message").get(0));
    database.execute(
        "INSERT INTO queue_message (topic, headers, payload) VALUES"
            + " ('order', '{\"rowqueue-wrapped\": \"sealed,mine\"}', 'x'),"
            + " ('order', '{\"rowqueue-wrapped\": \"sealed\"', 'no headers'),"
            + " ('order', '{\"of\": \"rowqueue-wrapped\"}', 'no mark')");
    assertThat(keys.find())
        .extracting(KeyUse::payloads)
        .as("one key's, and without a key the changed and the one in another wrapper")
        .containsExactly(2L, 2L);
    assertThat(keys.find().get(1).key()).isNull();
  }

  @Test
  void command_saysWhetherAKeyMayGo() throws Exception {
    ShippedCommand command = new ShippedCommand(database);
    assertThat(command.done("encryption-keys usage")).isEqualTo("No payload is encrypted.");
    Keysets.Rotating source = new Keysets.Rotating();
    KeyId old = source.primary();
    producer(source).enqueueAll(database.dataSource(), orders(0, 3));
    assertThat(command.refused("encryption-keys usage --key " + old).out().lines())
        .containsExactly("KEY         TABLE          PAYLOADS", old + "  queue_message         3");
    String young = source.rotate().toString();
    assertThat(command.done("encryption-keys usage --key " + young))
        .isEqualTo("No payload is encrypted with %s.".formatted(young));
    assertThat(command.done("encryption-keys usage --json"))
        .isEqualToIgnoringWhitespace(
            "{\"keys\": [{\"key\": \"%s\", \"table\": \"queue_message\", \"payloads\": 3}]}"
                .formatted(old));
  }

  @Test
  void rotation_readersFirst_givesNothingBack() {
    Keysets.Rotating source = new Keysets.Rotating();
    MessageProducer before = producer(source);
    source.rotate();
    MessageProducer behind = producer(source);
    try (TestWorker first = worker(source);
        TestWorker second = worker(source)) {
      for (int i = 0; i < 100; i += 20) {
        before.enqueueAll(database.dataSource(), orders(i, i + 10));
        behind.enqueueAll(database.dataSource(), orders(i + 10, i + 20));
      }
      Orders.awaitCount(database, Orders.HANDLED, 100);
      Orders.awaitNoneLeft(database);
    }
    assertHandledAtOnce(100);
  }

  @Test
  void rotation_writersFirst_losesNothing_andTheOldKeyMayGoWhenNothingIsLeft() throws Exception {
    Keysets.Rotating source = new Keysets.Rotating();
    KeyId old = source.primary();
    try (TestWorker first = worker(source);
        TestWorker second = worker(source)) {
      producer(source).enqueueAll(database.dataSource(), orders(0, 40));
      source.rotate();
      // They have the old keyset still, and look again once they miss a key.
      producer(source).enqueueAll(database.dataSource(), orders(40, 80));
      Orders.awaitWithoutRests(
          database,
          "the old key is out of use",
          () -> keys.find().stream().map(KeyUse::key).noneMatch(old::equals));
      source.dropOthers();
      producer(source).enqueueAll(database.dataSource(), orders(80, 120));
      Orders.awaitNoneLeftWithoutRests(database);
    }
    assertHandledAtOnce(120);
  }

  private void assertHandledAtOnce(int count) {
    Orders.assertHandled(database, count, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(keys.find()).isEmpty();
  }
}
