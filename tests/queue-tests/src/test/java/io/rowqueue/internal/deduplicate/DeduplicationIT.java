package io.rowqueue.internal.deduplicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.EnqueueResult.Outcome;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.counter.CounterScene;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.DeadlockCounter;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Isolation;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Core;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QueueTest
class DeduplicationIT {

  private static final String ALL = "SELECT COUNT(*) FROM queue_message";

  private static final String CLAIM =
      "UPDATE queue_message SET state = 1, lock_id = 'somebody', claim_number = claim_number + 1";

  private static final int TURNS = 12;
  private static final int KEYS = 10;

  private final MessageProducer producer = MessageProducer.create();
  private final AtomicInteger numbers = new AtomicInteger();

  private final QueueDatabase database;

  DeduplicationIT(QueueDatabase database) {
    this.database = database;
  }

  private static NewMessage order(int number, Deduplication rule) {
    return NewMessage.of("order", new Order(number)).withDeduplication(rule);
  }

  private EnqueueResult offer(NewMessage message) {
    return producer.enqueueAllWithResults(database.dataSource(), List.of(message)).get(0);
  }

  private DeduplicationKeys keys() {
    return new Core(database.dataSource(), TransactionProbe.NONE).get(DeduplicationKeys.class);
  }

  private static EnqueueResult duplicate(MessageId first) {
    return new EnqueueResult(first, Outcome.DUPLICATE);
  }

  @Test
  void refusing_writesNothingOfTheCall_andLeavesTheCallersTransaction() throws SQLException {
    NewMessage held = order(1, Deduplication.whileAlive("a").refusing());
    MessageId first = producer.enqueue(database.dataSource(), held);
    String versions = "SELECT version FROM queue_deduplication";
    List<String> before = database.strings(versions);
    try (Connection connection = CounterScene.open(database);
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO queue_counter VALUES ('business', 0, 1)");
      List<NewMessage> call =
          List.of(order(2, Deduplication.whileAlive("b")), held, NewMessage.of("order", "p"));
      assertThatThrownBy(() -> producer.enqueueAll(connection, call))
          .isInstanceOfSatisfying(
              DuplicateMessageException.class, e -> assertThat(e.first()).contains(first))
          .hasMessageContaining("'a' of topic 'order'");
      connection.commit();
    }
    assertThat(database.count(ALL)).isEqualTo(1);
    assertThat(database.strings(versions)).isEqualTo(before);
    assertThat(database.count("SELECT amount FROM queue_counter")).isEqualTo(1);
  }

  @Test
  void keys_ofAnotherTopicOrCaseOrAccent_areOthers() {
    List<NewMessage> messages =
        List.of(
            order(1, Deduplication.whileAlive("key")),
            order(2, Deduplication.whileAlive("Key")),
            order(3, Deduplication.whileAlive("k\u00e9y")),
            order(4, Deduplication.whileAlive("key ")),
            NewMessage.of("other", "p").withDeduplication(Deduplication.whileAlive("key")));
    assertThat(producer.enqueueAllWithResults(database.dataSource(), messages))
        .extracting(EnqueueResult::outcome)
        .containsOnly(Outcome.INSERTED);
    assertThat(producer.enqueueAllWithResults(database.dataSource(), messages))
        .extracting(EnqueueResult::outcome)
        .containsOnly(Outcome.DUPLICATE);
  }

  @Test
  void bulk_ofTenThousandWithDuplicatesInside_answersForEach() {
    // Two of three have a key, and each key comes twice, far from each other.
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      messages.add(
          i % 3 == 0
              ? NewMessage.of("order", new Order(i))
              : order(i, Deduplication.whileWaiting("key-" + i % 5_000)));
    }
    List<EnqueueResult> offers = producer.enqueueAllWithResults(database.dataSource(), messages);
    long keys =
        messages.stream()
            .map(NewMessage::deduplication)
            .filter(rule -> rule != null)
            .distinct()
            .count();
    long inserted = offers.stream().filter(o -> o.outcome() == Outcome.INSERTED).count();
    assertThat(inserted).isEqualTo(3_334 + keys);
    assertThat(database.count(ALL)).isEqualTo(inserted);
    assertThat(database.count("SELECT COUNT(*) FROM queue_deduplication")).isEqualTo(keys);
    assertEachIsNamedByItsKey(messages, offers);

    // A few are claimed: the next call finds the others, and brings new ones for those.
    database.execute(CLAIM + " WHERE id % 100 = 0");
    long claimedKeys =
        database.count(
            "SELECT COUNT(*) FROM queue_deduplication JOIN queue_message ON id = message_id WHERE"
                + " state = 1");
    List<NewMessage> keyed =
        messages.stream().filter(message -> message.deduplication() != null).toList();
    List<EnqueueResult> again = producer.enqueueAllWithResults(database.dataSource(), keyed);
    assertThat(again.stream().filter(o -> o.outcome() == Outcome.INSERTED).count())
        .isEqualTo(claimedKeys)
        .isPositive();
    assertEachIsNamedByItsKey(keyed, again);
  }

  private void assertEachIsNamedByItsKey(List<NewMessage> messages, List<EnqueueResult> offers) {
    List<String> expected =
        IntStream.range(0, messages.size())
            .filter(i -> messages.get(i).deduplication() != null)
            .mapToObj(
                i ->
                    Objects.requireNonNull(messages.get(i).deduplication()).key()
                        + " "
                        + offers.get(i).id())
            .distinct()
            .toList();
    assertThat(
            database.strings("SELECT CONCAT(dedup_key, ' ', message_id) FROM queue_deduplication"))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void duplicates_insideOneCall_goByTheirRule() {
    Deduplication replacing = Deduplication.whileWaiting("r").replacing();
    List<EnqueueResult> offers =
        producer.enqueueAllWithResults(
            database.dataSource(),
            List.of(order(1, replacing), NewMessage.of("order", "p"), order(2, replacing)));
    assertThat(offers)
        .extracting(EnqueueResult::outcome)
        .containsExactly(Outcome.INSERTED, Outcome.INSERTED, Outcome.REPLACED);
    assertThat(offers.get(2).id()).isEqualTo(offers.get(0).id());
    assertThat(
            database.strings(
                "SELECT CONVERT(payload USING utf8mb4) FROM queue_message ORDER BY id"))
        .containsExactly("{\"number\":2}", "\"p\"");

    Deduplication refusing = Deduplication.whileAlive("x").refusing();
    assertThatThrownBy(
            () ->
                producer.enqueueAll(
                    database.dataSource(), List.of(order(1, refusing), order(2, refusing))))
        .isInstanceOfSatisfying(
            DuplicateMessageException.class, e -> assertThat(e.first()).isEmpty());
    assertThatThrownBy(
            () ->
                producer.enqueueAll(
                    database.dataSource(),
                    List.of(order(1, refusing), order(2, Deduplication.whileAlive("x")))))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("two rules");
    assertThat(database.count(ALL)).isEqualTo(2);
  }

  @Test
  void caller_withAnOldSnapshot_findsWhatCameAfterIt() throws SQLException {
    for (Deduplication rule : rules()) {
      try (Connection connection = oldSnapshot(false)) {
        MessageId first = producer.enqueue(database.dataSource(), order(1, rule));
        assertThat(producer.enqueueAllWithResults(connection, List.of(order(2, rule))))
            .as("%s", rule)
            .containsExactly(duplicate(first));
        connection.commit();
      }
    }
  }

  /** MariaDB's default from 11.6.2 on. */
  @Test
  void caller_whomTheServerHoldsToAnOldSnapshot_isToldToRunAgain() throws SQLException {
    assumeThat(database.isMariaDb()).isTrue();
    for (Deduplication rule : rules()) {
      try (Connection connection = oldSnapshot(true)) {
        MessageId first = producer.enqueue(database.dataSource(), order(1, rule));
        List<NewMessage> second = List.of(order(2, rule));
        assertThatThrownBy(() -> producer.enqueueAllWithResults(connection, second))
            .as("%s", rule)
            .isInstanceOf(EnqueueException.class)
            .hasMessageContaining("repeat the whole transaction, or use READ COMMITTED");
        connection.rollback();
        assertThat(producer.enqueueAllWithResults(connection, second))
            .containsExactly(duplicate(first));
        connection.commit();
      }
    }
  }

  private static List<Deduplication> rules() {
    return List.of(
        Deduplication.whileAlive("a"),
        Deduplication.whileWaiting("b"),
        Deduplication.within("c", Duration.ofHours(1)));
  }

  private Connection oldSnapshot(boolean held) throws SQLException {
    Connection connection = CounterScene.open(database);
    Isolation.set(connection, Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      if (held) {
        statement.execute("SET innodb_snapshot_isolation = 1");
      }
      statement.executeQuery("SELECT COUNT(*) FROM queue_message").close();
      return connection;
    }
  }

  /** As {@code docs/guides/deduplication.md} says it. */
  private boolean offerBySql(String key) throws SQLException {
    try (Connection connection = CounterScene.open(database);
        Statement sql = connection.createStatement()) {
      sql.execute(
          "SET @id = UNHEX(LEFT(SHA2(CONCAT('order', CHAR(0), CONVERT('%s' USING utf8mb4)), 256), 32))"
              .formatted(key));
      sql.execute(
          "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES"
              + " (@id, 'order', '%s', 1, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE version = version + 1, updated_at = UTC_TIMESTAMP(6)"
                  .formatted(key));
      int waiting =
          sql.executeUpdate(
              "UPDATE queue_message m JOIN queue_deduplication d ON m.id = d.message_id SET"
                  + " m.updated_at = UTC_TIMESTAMP(6) WHERE d.dedup_id = @id AND m.state IN (0,"
                  + " 2)");
      if (waiting == 0) {
        sql.execute("INSERT INTO queue_message (topic, payload) VALUES ('order', '1')");
        sql.execute(
            "UPDATE queue_deduplication SET message_id = LAST_INSERT_ID() WHERE dedup_id = @id");
      }
      connection.commit();
      return waiting == 0;
    }
  }

  @Test
  void sql_ofTheDocumentation_meetsTheApi() throws SQLException {
    NewMessage message = order(1, Deduplication.whileWaiting("doc-\u00e9"));
    assertThat(offerBySql("doc-\u00e9")).isTrue();
    assertThat(offerBySql("doc-\u00e9")).isFalse();
    assertThat(offer(message).outcome()).isEqualTo(Outcome.DUPLICATE);
    database.execute(CLAIM);
    assertThat(offer(message).outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(offerBySql("doc-\u00e9")).isFalse();
    database.execute(CLAIM);
    assertThat(offerBySql("doc-\u00e9")).isTrue();
    assertThat(database.count("SELECT COUNT(*) FROM queue_deduplication")).isEqualTo(1);
  }

  @Test
  void prune_deletesWhatNothingHolds() {
    for (int i = 0; i < 4; i++) {
      producer.enqueue(database.dataSource(), order(i, Deduplication.whileAlive("alive-" + i)));
    }
    producer.enqueue(
        database.dataSource(), order(4, Deduplication.within("open", Duration.ofHours(1))));
    producer.enqueue(
        database.dataSource(), order(5, Deduplication.within("over", Duration.ofHours(1))));
    database.execute(
        "DELETE FROM queue_message WHERE id NOT IN (SELECT message_id FROM queue_deduplication"
            + " WHERE dedup_key = 'alive-0')",
        "UPDATE queue_deduplication SET updated_at = updated_at - INTERVAL 11 MINUTE WHERE"
            + " dedup_key <> 'alive-1'",
        "UPDATE queue_deduplication SET held_until = UTC_TIMESTAMP(6) WHERE dedup_key = 'over'");
    DeduplicationKeys keys = keys();
    assertThat(keys.prune(2)).as("alive-2, alive-3 and over, in pages of two").isEqualTo(3);
    assertThat(database.strings("SELECT dedup_key FROM queue_deduplication ORDER BY dedup_key"))
        .containsExactly("alive-0", "alive-1", "open");
    assertThat(keys.prune(2)).isZero();
  }

  @Test
  void prune_passesOverWhatAProducerHolds() throws SQLException {
    NewMessage message = order(1, Deduplication.whileAlive("a"));
    producer.enqueue(database.dataSource(), message);
    database.execute(
        "DELETE FROM queue_message",
        "UPDATE queue_deduplication SET updated_at = updated_at - INTERVAL 11 MINUTE");
    DeduplicationKeys keys = keys();
    try (Connection connection = CounterScene.open(database)) {
      producer.enqueue(connection, message);
      assertThat(keys.prune(10)).isZero();
      connection.commit();
    }
    assertThat(keys.prune(10)).isZero();
  }

  private NewMessage message(Deduplication rule) {
    return NewMessage.of("race", numbers.incrementAndGet()).withDeduplication(rule);
  }

  private List<NewMessage> some(Random random) {
    return IntStream.range(0, 1 + random.nextInt(5))
        .mapToObj(i -> "key-" + random.nextInt(KEYS))
        .map(key -> message(Deduplication.whileWaiting(key)))
        .toList();
  }

  @EachIsolation
  void producers_ofOneKey_makeOneMessageInNoCircle(int isolation) throws Exception {
    for (int round = 0; round < TURNS; round++) {
      Deduplication rule = Deduplication.whileAlive("key-" + round);
      CounterScene.write(
          database,
          isolation,
          connection -> {
            producer.enqueue(connection, message(rule));
            CounterScene.commit(connection);
          });
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(TURNS);
  }

  @EachIsolation
  void replacers_andThoseWhoLeaveOut_ofSeveralKeys_meetInNoCircle(int isolation) throws Exception {
    CounterScene.write(
        database,
        isolation,
        connection -> {
          Random random = new Random(numbers.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            List<NewMessage> messages =
                random.nextBoolean()
                    ? some(random)
                    : List.of(
                        message(Deduplication.whileWaiting("key-1").replacing()),
                        message(Deduplication.whileWaiting("key-2")),
                        message(Deduplication.whileWaiting("key-3").replacing()));
            producer.enqueueAll(connection, messages);
            CounterScene.commit(connection);
          }
        });
    assertThat(database.count(ALL)).isEqualTo(KEYS);
    assertNoKeyWaitsTwice();
  }

  /** Producers that roll back make records of keys vanish; who meets a circle runs again. */
  @EachIsolation
  void producers_ofWhomSomeRollBack_leaveNoKeyWaitingTwice(int isolation) throws Exception {
    CounterScene.write(
        database,
        isolation,
        connection -> {
          Random random = new Random(numbers.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            boolean rollback = random.nextInt(3) == 0;
            again(
                connection,
                new DeadlockCounter(),
                () -> {
                  producer.enqueueAll(connection, some(random));
                  if (rollback) {
                    CounterScene.rollback(connection);
                  }
                });
          }
        });
    assertNoKeyWaitsTwice();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(KEYS);
  }

  /** Each change is seen by a handling that begins after its commit. */
  @EachIsolation
  void changes_ofProducersConcurrentWithAWorker_areAllSeen(int isolation) throws Exception {
    database.execute(
        "CREATE TABLE IF NOT EXISTS work (producer INT PRIMARY KEY, n INT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS seen (producer INT PRIMARY KEY, n INT NOT NULL)",
        "DELETE FROM work",
        "DELETE FROM seen");
    DeadlockCounter deadlocks = new DeadlockCounter();
    try (TestWorker worker =
        TestWorker.startOver(
            database,
            deadlocks::over,
            config -> config.withThreads(4),
            deadlocks,
            Handlers.bind(
                "order",
                (order, context) ->
                    context
                        .transaction()
                        .execute(
                            "INSERT INTO seen SELECT producer, n FROM work ON DUPLICATE KEY UPDATE"
                                + " n = GREATEST(seen.n, VALUES(n))")))) {
      CounterScene.write(database, isolation, connection -> change(connection, deadlocks));
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 0, Duration.ofSeconds(30));
    }
    assertThat(database.strings("SELECT CONCAT(producer, ' ', n) FROM seen ORDER BY producer"))
        .isEqualTo(database.strings("SELECT CONCAT(producer, ' ', n) FROM work ORDER BY producer"))
        .hasSize(CounterScene.WRITERS);
    if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
      assertThat(deadlocks.count()).as("deadlocks (1213)").isZero();
    }
  }

  private void change(Connection connection, DeadlockCounter deadlocks) {
    int number = numbers.incrementAndGet();
    NewMessage message =
        NewMessage.of("order", new Handlers.Order(number))
            .withDeduplication(Deduplication.whileWaiting("changed"));
    for (int turn = 0; turn < TURNS; turn++) {
      again(
          connection,
          deadlocks,
          () -> {
            execute(
                connection,
                "INSERT INTO work VALUES (" + number + ", 1) ON DUPLICATE KEY UPDATE n = n + 1");
            producer.enqueue(connection, message);
          });
    }
  }

  private static void execute(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void again(Connection connection, DeadlockCounter deadlocks, Runnable work) {
    while (true) {
      try {
        work.run();
        CounterScene.commit(connection);
        return;
      } catch (EnqueueException e) {
        CounterScene.rollback(connection);
        deadlocks.saw(e);
        if (!TransientFailures.isTransient(e)) {
          throw e;
        }
      }
    }
  }

  private void assertNoKeyWaitsTwice() {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state IN (0, 2)"))
        .isEqualTo(
            database.count(
                "SELECT COUNT(*) FROM queue_deduplication JOIN queue_message ON id = message_id"
                    + " WHERE state IN (0, 2)"));
  }
}
