package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.counter.CounterScene;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.DeadlockCounter;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QueueTest
class OrderRaceIT {

  private static final int KEYS = 12;
  private static final int NEW_KEYS = 40;
  private static final int TURNS = 12;
  private static final int WORKERS = 3;

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private final AtomicInteger seeds = new AtomicInteger();

  /** Keys that a handler has just now; two of one would be an overlap. */
  private final Set<String> inHand = ConcurrentHashMap.newKeySet();

  private final AtomicInteger overlaps = new AtomicInteger();

  OrderRaceIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void openBooks() {
    database.execute(
        "CREATE TABLE IF NOT EXISTS committed (message_id BIGINT PRIMARY KEY, line VARCHAR(9), n"
            + " INT)",
        "CREATE TABLE IF NOT EXISTS done (seq BIGINT AUTO_INCREMENT PRIMARY KEY, message_id"
            + " BIGINT UNIQUE)",
        "CREATE TABLE IF NOT EXISTS counter (line VARCHAR(9) PRIMARY KEY, n INT NOT NULL)",
        "DELETE FROM committed",
        "DELETE FROM done",
        "DELETE FROM counter");
    for (int key = 0; key < NEW_KEYS; key++) {
      database.execute("INSERT INTO counter VALUES ('key-" + key + "', 0)");
    }
  }

  @ParameterizedTest
  @CsvSource("2, ALONE")
  void effects_comeInTheOrderOfTheCommits(int isolation, HandlingMode mode) throws Exception {
    List<TestWorker> workers = new ArrayList<>();
    DeadlockCounter deadlocks = new DeadlockCounter();
    try {
      for (int i = 0; i < WORKERS; i++) {
        workers.add(
            TestWorker.startOver(
                database, deadlocks::over, config -> config, deadlocks, handlers(mode)));
      }
      enqueueOneOfEach();
      CounterScene.write(database, isolation, this::produce);
      awaitEnd(deadlocks.over(database.dataSource()));
    } finally {
      workers.forEach(TestWorker::close);
    }
    assertThat(deadlocks.count()).as("deadlocks (1213)").isZero();
    assertThat(overlaps).as("two messages of one key at once").hasValue(0);
    assertInOrder();
    new Lined(database).assertEmpty();
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"4, ALONE", "2, SHARED_COMMIT", "2, WITHOUT_TRANSACTION"})
  void effects_ofTheOtherWays_comeInTheOrderOfTheCommits(int isolation, HandlingMode mode)
      throws Exception {
    effects_comeInTheOrderOfTheCommits(isolation, mode);
  }

  /**
   * Behind the new row of a producer that rolls back, waiters inherit a lock on the gap, which can
   * close a circle: the keys of these tests are known.
   */
  private void enqueueOneOfEach() throws SQLException {
    try (Connection connection = CounterScene.open(database)) {
      enqueue(connection, IntStream.range(0, KEYS).mapToObj(key -> "key-" + key).toList());
      connection.commit();
    }
  }

  @EachIsolation
  void producers_ofNewKeys_meetInNoCircle(int isolation) throws Exception {
    CounterScene.write(
        database,
        isolation,
        connection -> {
          Random random = new Random(seeds.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            enqueue(connection, some(random, NEW_KEYS));
            CounterScene.commit(connection);
          }
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_member"))
        .isEqualTo(database.count("SELECT COUNT(*) FROM queue_message"));
  }

  /** What shares a key is done in the order in which the transactions that enqueued it ended. */
  private void produce(Connection connection) {
    Random random = new Random(seeds.incrementAndGet());
    for (int turn = 0; turn < TURNS; turn++) {
      enqueue(connection, some(random, KEYS));
      if (random.nextInt(5) == 0) {
        CounterScene.rollback(connection);
      } else {
        CounterScene.commit(connection);
      }
    }
  }

  private static List<String> some(Random random, int keys) {
    return IntStream.range(0, 1 + random.nextInt(4))
        .mapToObj(i -> "key-" + random.nextInt(keys))
        .toList();
  }

  private void enqueue(Connection connection, List<String> keys) {
    List<MessageId> ids =
        producer.enqueueAll(
            connection,
            keys.stream()
                .map(key -> NewMessage.of("line", new Order(1)).withOrderingKey(key))
                .toList());
    for (int i = 0; i < ids.size(); i++) {
      count(connection, ids.get(i), keys.get(i));
    }
  }

  private static void count(Connection connection, MessageId id, String line) {
    try (PreparedStatement next =
            connection.prepareStatement("UPDATE counter SET n = n + 1 WHERE line = ?");
        PreparedStatement write =
            connection.prepareStatement(
                "INSERT INTO committed SELECT ?, line, n FROM counter WHERE line = ?")) {
      next.setString(1, line);
      next.executeUpdate();
      write.setLong(1, id.value());
      write.setString(2, line);
      write.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Module handlers(HandlingMode mode) {
    return mode.bind(
        "line", Order.class, (order, context) -> handle(context, mode), HandlerSettings.defaults());
  }

  private void handle(HandlerContext context, HandlingMode mode) {
    String key = Objects.requireNonNull(context.orderingKey());
    if (!inHand.add(key)) {
      overlaps.incrementAndGet();
    }
    try {
      int fate = ThreadLocalRandom.current().nextInt(20);
      if (fate < 3) {
        throw new IllegalStateException("fails now and then");
      }
      write(context, mode);
    } finally {
      inHand.remove(key);
    }
  }

  private void write(HandlerContext context, HandlingMode mode) {
    if (mode != HandlingMode.WITHOUT_TRANSACTION) {
      context
          .transaction()
          .execute("INSERT INTO done (message_id) VALUES (?)", context.id().value());
    } else {
      database.execute("INSERT IGNORE INTO done (message_id) VALUES (" + context.id() + ")");
    }
  }

  /** Dead letters hold their lines until somebody redrives them. */
  private void awaitEnd(DataSource connections) {
    DeadLetters dead = QueueOperations.of(connections).deadLetters();
    Await.until(
        "every message is handled",
        Duration.ofSeconds(60),
        () -> {
          database
              .strings("SELECT id FROM queue_dead_letter")
              .forEach(id -> dead.redrive(new MessageId(Long.parseLong(id))));
          return database.strings("SELECT CONCAT(id, ' in state ', state) FROM queue_message");
        },
        List::isEmpty);
  }

  private void assertInOrder() {
    Map<String, List<Integer>> lines = new HashMap<>();
    for (String row :
        database.strings(
            "SELECT CONCAT(c.line, ' ', c.n) FROM done d JOIN committed c ON c.message_id ="
                + " d.message_id ORDER BY d.seq")) {
      String[] words = row.split(" ", 2);
      lines.computeIfAbsent(words[0], line -> new ArrayList<>()).add(Integer.valueOf(words[1]));
    }
    assertThat(lines).hasSize(KEYS);
    lines.forEach(
        (line, order) ->
            assertThat(order)
                .as(line)
                .containsExactlyElementsOf(
                    IntStream.rangeClosed(1, order.size()).boxed().toList()));
    assertThat(database.count("SELECT COUNT(*) FROM done"))
        .isEqualTo(database.count("SELECT COUNT(*) FROM committed"));
  }
}
