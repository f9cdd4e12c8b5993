package io.rowqueue.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.Threads;
import io.rowqueue.tests.Threads.Work;
import io.rowqueue.worker.dispatch.CommitCounter;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a counter is exact and never below zero, and its writers meet no error. Method: sixteen
 * writers in transactions of either isolation; a deadlock would fail its writer.
 */
@QueueTest
class CounterWritersIT {

  private final SlottedCounter counter = SlottedCounter.create();

  @BeforeEach
  void noCounters(QueueDatabase database) {
    database.execute("DELETE FROM queue_counter");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void writers_whileThereIsEnough_areExactAndWaitForNobodyInACircle(
      int isolation, QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, SlottedCounter.SLOTS, 20_000);
    AtomicLong expected = new AtomicLong(20_000);
    CounterScene.write(
        database,
        isolation,
        connection -> {
          for (int turn = 0; turn < 100; turn++) {
            if (turn % 4 == 0) {
              counter.add(connection, CounterScene.TEA, 5);
              expected.addAndGet(5);
            } else {
              assertThat(counter.take(connection, CounterScene.TEA, 2)).isTrue();
              expected.addAndGet(-2);
            }
            // Another take in the same transaction.
            assertThat(counter.takeUpTo(connection, CounterScene.TEA, 1)).isEqualTo(1);
            expected.decrementAndGet();
            CounterScene.commit(connection);
          }
        });
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(expected.get());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void takers_racingForTheLast_getExactlyWhatThereIs(int isolation, QueueDatabase database)
      throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, SlottedCounter.SLOTS, 300);
    AtomicInteger taken = new AtomicInteger();
    CounterScene.write(
        database,
        isolation,
        connection -> {
          boolean enough;
          do {
            enough = counter.take(connection, CounterScene.TEA, 1);
            CounterScene.commit(connection);
            taken.addAndGet(enough ? 1 : 0);
          } while (enough);
        });
    assertThat(taken).hasValue(300);
    assertThat(database.strings("SELECT DISTINCT amount FROM queue_counter")).containsExactly("0");
  }

  @Test
  void counters_twoInOneTransaction_changeTogetherAndInNoCircle(QueueDatabase database)
      throws Exception {
    CounterScene.make(database, counter, "budget", 4, 0);
    CounterScene.make(database, counter, CounterScene.TEA, 10, 8_000);
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          for (int turn = 0; turn < 50; turn++) {
            counter.add(connection, "budget", 3);
            assertThat(counter.take(connection, CounterScene.TEA, 1)).isTrue();
            if (turn % 5 == 0) {
              CounterScene.rollback(connection);
            } else {
              CounterScene.commit(connection);
            }
          }
        });
    assertThat(CounterScene.sum(database, counter, "budget"))
        .isEqualTo(CounterScene.WRITERS * 40 * 3);
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA))
        .isEqualTo(8_000 - CounterScene.WRITERS * 40);
  }

  /** Slots go and come under the writers' hands; who meets a deadlock runs again, as it must. */
  @Test
  void spread_underLoad_losesNothing(QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 10, 5_000);
    AtomicInteger writing = new AtomicInteger(CounterScene.WRITERS);
    Work writer =
        () -> {
          try (Connection connection = CounterScene.open(database)) {
            for (int turn = 0; turn < 100; turn++) {
              CounterScene.again(
                  connection, tx -> assertThat(counter.take(tx, CounterScene.TEA, 2)).isTrue());
              CounterScene.again(connection, tx -> counter.add(tx, CounterScene.TEA, 1));
            }
          } finally {
            writing.decrementAndGet();
          }
        };
    Work spreader =
        () -> {
          try (Connection connection = CounterScene.open(database)) {
            for (int turn = 0; writing.get() > 0; turn++) {
              int slots = List.of(3, 20, 1, 12).get(turn % 4);
              CounterScene.again(connection, tx -> counter.spread(tx, CounterScene.TEA, slots));
            }
            CounterScene.again(connection, tx -> counter.spread(tx, CounterScene.TEA, 7));
          }
        };
    List<Work> all = new ArrayList<>(List.of(spreader));
    for (int i = 0; i < CounterScene.WRITERS; i++) {
      all.add(writer);
    }
    Threads.run(all);
    assertThat(database.strings("SELECT amount FROM queue_counter ORDER BY slot"))
        .as("5,000 less 1,600, evenly")
        .containsExactly("486", "486", "486", "486", "486", "485", "485");
  }

  @Test
  void make_byManyAtOnce_makesItOnce(QueueDatabase database) throws Exception {
    AtomicInteger made = new AtomicInteger();
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          if (counter.make(connection, CounterScene.TEA, 5)) {
            made.incrementAndGet();
            counter.add(connection, CounterScene.TEA, 50);
          }
          CounterScene.commit(connection);
        });
    assertThat(made).hasValue(1);
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(50);
  }

  @Test
  void make_beforeEachTakeOfACounterThatExists_meetsNobodyInACircle(QueueDatabase database)
      throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 2, 100_000);
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          for (int turn = 0; turn < 50; turn++) {
            assertThat(counter.make(connection, CounterScene.TEA, 2)).isFalse();
            assertThat(counter.take(connection, CounterScene.TEA, 1)).isTrue();
            CounterScene.commit(connection);
          }
        });
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA))
        .isEqualTo(100_000 - CounterScene.WRITERS * 50);
  }

  /** One transaction is one writer, however many handlers it has. */
  @Test
  void handlers_thatShareACommit_shareASlot(QueueDatabase database) throws Exception {
    Orders.openBooks(database);
    CounterScene.make(database, counter, CounterScene.TEA, 50, 500_000);
    Orders.enqueueAll(database, 100);
    CommitCounter acks = CommitCounter.ofAcks();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            acks,
            Handlers.bind(
                "order",
                (order, context) ->
                    assertThat(counter.take(context.transaction(), CounterScene.TEA, 1)).isTrue(),
                HandlerSettings.defaults().withSharedCommit()))) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(499_900);
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter WHERE amount <> 10000"))
        .as("slots that were taken from")
        .isPositive()
        .isLessThanOrEqualTo(acks.count());
  }
}
