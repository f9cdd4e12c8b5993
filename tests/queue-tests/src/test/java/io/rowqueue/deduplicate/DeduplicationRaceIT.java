package io.rowqueue.deduplicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.counter.CounterScene;
import io.rowqueue.database.TransientFailures;
import io.rowqueue.enqueue.EnqueueException;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.DeadlockCounter;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many producers of the same keys, in transactions of either isolation. */
@QueueTest
class DeduplicationRaceIT {

  private static final int TURNS = 12;
  private static final int KEYS = 10;

  private final MessageProducer producer = MessageProducer.create();
  private final AtomicInteger numbers = new AtomicInteger();

  private NewMessage message(Deduplication rule) {
    return NewMessage.of("race", numbers.incrementAndGet()).withDeduplication(rule);
  }

  private List<NewMessage> some(Random random) {
    return IntStream.range(0, 1 + random.nextInt(5))
        .mapToObj(i -> "key-" + random.nextInt(KEYS))
        .map(key -> message(Deduplication.whileWaiting(key)))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void producers_ofOneKey_makeOneMessageInNoCircle(int isolation, QueueDatabase database)
      throws Exception {
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

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void producers_ofSeveralKeysAtOnce_makeOneMessageOfEachInNoCircle(
      int isolation, QueueDatabase database) throws Exception {
    CounterScene.write(
        database,
        isolation,
        connection -> {
          Random random = new Random(numbers.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            producer.enqueueAll(connection, some(random));
            CounterScene.commit(connection);
          }
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(KEYS);
    assertNoKeyWaitsTwice(database);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void replacers_andThoseWhoLeaveOut_ofSeveralKeys_meetInNoCircle(
      int isolation, QueueDatabase database) throws Exception {
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
    assertNoKeyWaitsTwice(database);
  }

  /** Producers that roll back make records of keys vanish; who meets a circle runs again. */
  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void producers_ofWhomSomeRollBack_leaveNoKeyWaitingTwice(int isolation, QueueDatabase database)
      throws Exception {
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
    assertNoKeyWaitsTwice(database);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(KEYS);
  }

  /** Each change is seen by a handling that begins after its commit. */
  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void changes_ofProducersBesideAWorker_areAllSeen(int isolation, QueueDatabase database)
      throws Exception {
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
      Await.until(
          "the queue is empty",
          Duration.ofSeconds(30),
          () -> database.count("SELECT COUNT(*) FROM queue_message"),
          count -> count == 0);
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

  private static void assertNoKeyWaitsTwice(QueueDatabase database) {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state IN (0, 2)"))
        .isEqualTo(
            database.count(
                "SELECT COUNT(*) FROM queue_deduplication JOIN queue_message ON id = message_id"
                    + " WHERE state IN (0, 2)"));
  }
}
