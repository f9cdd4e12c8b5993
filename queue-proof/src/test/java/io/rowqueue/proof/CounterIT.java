package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.counter.CounterException;
import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.counter.UnknownCounterException;
import io.rowqueue.database.TransientFailures;
import io.rowqueue.proof.bench.contest.Threads;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a counter is exact and never below zero, and its writers meet no error. Method: sixteen
 * writers in transactions of either isolation, and the server's own count of deadlocks.
 */
@QueueTest
class CounterIT {

  private static final int WRITERS = 16;
  private static final String TEA = "stock/tea";

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
    make(database, TEA, SlottedCounter.SLOTS, 20_000);
    AtomicLong expected = new AtomicLong(20_000);
    long before = deadlocks(database);
    write(
        database,
        isolation,
        connection -> {
          for (int turn = 0; turn < 100; turn++) {
            if (turn % 4 == 0) {
              counter.add(connection, TEA, 5);
              expected.addAndGet(5);
            } else {
              assertThat(counter.take(connection, TEA, 2)).isTrue();
              expected.addAndGet(-2);
            }
            // Another take in the same transaction.
            assertThat(counter.takeUpTo(connection, TEA, 1)).isEqualTo(1);
            expected.decrementAndGet();
            commit(connection);
          }
        });
    assertThat(sum(database, TEA)).isEqualTo(expected.get());
    assertThat(deadlocks(database) - before).as("deadlocks (1213)").isZero();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void takers_racingForTheLast_getExactlyWhatThereIs(int isolation, QueueDatabase database)
      throws Exception {
    make(database, TEA, SlottedCounter.SLOTS, 300);
    AtomicInteger taken = new AtomicInteger();
    long before = deadlocks(database);
    write(
        database,
        isolation,
        connection -> {
          boolean enough;
          do {
            enough = counter.take(connection, TEA, 1);
            commit(connection);
            taken.addAndGet(enough ? 1 : 0);
          } while (enough);
        });
    assertThat(taken).hasValue(300);
    assertThat(database.strings("SELECT DISTINCT amount FROM queue_counter")).containsExactly("0");
    assertThat(deadlocks(database) - before).as("deadlocks (1213)").isZero();
  }

  @Test
  void takers_whoseWishesAreLargerThanASlot_areServedFromAll(QueueDatabase database)
      throws Exception {
    make(database, TEA, 10, 95);
    try (Connection connection = open(database)) {
      assertThat(counter.take(connection, TEA, 60)).isTrue();
      assertThat(counter.take(connection, TEA, 36)).isFalse();
      assertThat(counter.takeUpTo(connection, TEA, 30)).isEqualTo(30);
      assertThat(counter.takeUpTo(connection, TEA, 30)).isEqualTo(5);
      assertThat(counter.takeUpTo(connection, TEA, 30)).isZero();
      assertThat(counter.take(connection, TEA, 1)).isFalse();
      assertThat(counter.sum(connection, TEA)).isZero();
      connection.rollback();
    }
    assertThat(sum(database, TEA)).as("what a rollback gives back").isEqualTo(95);
  }

  @Test
  void counters_twoInOneTransaction_changeTogetherAndInNoCircle(QueueDatabase database)
      throws Exception {
    make(database, "budget", 4, 0);
    make(database, TEA, 10, 8_000);
    long before = deadlocks(database);
    write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          for (int turn = 0; turn < 50; turn++) {
            counter.add(connection, "budget", 3);
            assertThat(counter.take(connection, TEA, 1)).isTrue();
            if (turn % 5 == 0) {
              rollback(connection);
            } else {
              commit(connection);
            }
          }
        });
    assertThat(sum(database, "budget")).isEqualTo(WRITERS * 40 * 3);
    assertThat(sum(database, TEA)).isEqualTo(8_000 - WRITERS * 40);
    assertThat(deadlocks(database) - before).as("deadlocks (1213)").isZero();
  }

  /** Slots go and come under the writers' hands; who meets a deadlock runs again, as it must. */
  @Test
  void spread_underLoad_losesNothing(QueueDatabase database) throws Exception {
    make(database, TEA, 10, 5_000);
    AtomicInteger writing = new AtomicInteger(WRITERS);
    Callable<?> writer =
        () -> {
          try (Connection connection = open(database)) {
            for (int turn = 0; turn < 100; turn++) {
              again(connection, tx -> assertThat(counter.take(tx, TEA, 2)).isTrue());
              again(connection, tx -> counter.add(tx, TEA, 1));
            }
            return true;
          } finally {
            writing.decrementAndGet();
          }
        };
    Callable<?> spreader =
        () -> {
          try (Connection connection = open(database)) {
            for (int turn = 0; writing.get() > 0; turn++) {
              int slots = List.of(3, 20, 1, 12).get(turn % 4);
              again(connection, tx -> counter.spread(tx, TEA, slots));
            }
            again(connection, tx -> counter.spread(tx, TEA, 7));
            return true;
          }
        };
    List<Callable<?>> all = new ArrayList<>(List.of(spreader));
    for (int i = 0; i < WRITERS; i++) {
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
    write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          if (counter.make(connection, TEA, 5)) {
            made.incrementAndGet();
            counter.add(connection, TEA, 50);
          }
          commit(connection);
        });
    assertThat(made).hasValue(1);
    try (Connection connection = open(database)) {
      assertThat(counter.make(connection, TEA, 8)).as("an existing one, made anew").isFalse();
      assertThat(counter.sum(connection, TEA)).isEqualTo(50);
      assertThat(counter.delete(connection, TEA)).isTrue();
      assertThat(counter.delete(connection, TEA)).isFalse();
      connection.commit();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter")).isZero();
  }

  @Test
  void counter_inJooqTransaction_sharesItsFate(QueueDatabase database) throws Exception {
    try (Connection connection = database.connect()) {
      DSLContext dsl =
          DSL.using(connection, database.isMariaDb() ? SQLDialect.MARIADB : SQLDialect.MYSQL);
      dsl.transaction(
          tx -> {
            assertThat(counter.make(tx.dsl(), TEA, 3)).isTrue();
            counter.add(tx.dsl(), TEA, 10);
          });
      assertThatThrownBy(
              () ->
                  dsl.transaction(
                      tx -> {
                        assertThat(counter.take(tx.dsl(), TEA, 4)).isTrue();
                        counter.spread(tx.dsl(), TEA, 1);
                        throw new IllegalStateException("business failure");
                      }))
          .hasMessageContaining("business failure");
      dsl.transaction(
          tx -> {
            assertThat(counter.takeUpTo(tx.dsl(), TEA, 99)).isEqualTo(10);
            assertThat(counter.sum(tx.dsl(), TEA)).isZero();
            assertThat(counter.delete(tx.dsl(), TEA)).isTrue();
          });
      assertThatThrownBy(() -> counter.take(dsl, TEA, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
  }

  @Test
  void counter_thatNobodyMade_isNamedWithWhatToDo(QueueDatabase database) throws Exception {
    List<Consumer<Connection>> calls =
        List.of(
            connection -> counter.add(connection, "no/such", 1),
            connection -> counter.take(connection, "no/such", 1),
            connection -> counter.takeUpTo(connection, "no/such", 1),
            connection -> counter.sum(connection, "no/such"),
            connection -> counter.spread(connection, "no/such", 2));
    try (Connection connection = open(database)) {
      for (Consumer<Connection> call : calls) {
        assertThatThrownBy(() -> call.accept(connection))
            .isInstanceOf(UnknownCounterException.class)
            .hasMessage("there is no counter 'no/such'; make it first, with SlottedCounter.make");
      }
    }
  }

  /** It was there when its slots were last looked at. */
  @Test
  void counter_deletedByOthers_isUnknownAtOnce(QueueDatabase database) throws Exception {
    make(database, TEA, 2, 1_000);
    try (Connection connection = open(database)) {
      assertThat(counter.take(connection, TEA, 1)).isTrue();
      connection.commit();
      database.execute("DELETE FROM queue_counter");
      assertThatThrownBy(() -> counter.add(connection, TEA, 1))
          .isInstanceOf(UnknownCounterException.class);
      assertThatThrownBy(() -> counter.take(connection, TEA, 1))
          .isInstanceOf(UnknownCounterException.class);
    }
  }

  @Test
  void arguments_thatMakeNoSense_areRefused(QueueDatabase database) throws Exception {
    try (Connection connection = open(database)) {
      for (String name : List.of("", "x".repeat(129), "Müsli", " tea", "tea ", "a\nb")) {
        assertThatThrownBy(() -> counter.take(connection, name, 1))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("counter");
      }
      for (long amount : List.of(0L, -1L, Long.MIN_VALUE)) {
        assertThatThrownBy(() -> counter.take(connection, TEA, amount))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("the amount must be at least 1, not " + amount);
        assertThatThrownBy(() -> counter.add(connection, TEA, amount))
            .isInstanceOf(IllegalArgumentException.class);
      }
      for (int slots : List.of(0, 1_001)) {
        assertThatThrownBy(() -> counter.make(connection, TEA, slots))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("1 to 1,000 slots");
      }
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter")).isZero();
  }

  @Test
  void amounts_beyondALong_areRefusedAndChangeNothing(QueueDatabase database) throws Exception {
    make(database, TEA, 2, Long.MAX_VALUE);
    try (Connection connection = open(database)) {
      assertThatThrownBy(() -> counter.add(connection, TEA, Long.MAX_VALUE))
          .isInstanceOf(CounterException.class)
          .hasMessageContaining(TEA);
      assertThat(counter.take(connection, TEA, Long.MAX_VALUE)).isTrue();
      connection.rollback();
    }
    assertThat(sum(database, TEA)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void slot_belowZero_isRefusedByTheTableItself(QueueDatabase database) throws Exception {
    make(database, TEA, 2, 1);
    assertThatThrownBy(() -> database.execute("UPDATE queue_counter SET amount = amount - 1"))
        .hasMessageContaining("queue_counter_amount");
    assertThat(sum(database, TEA)).isEqualTo(1);
  }

  /**
   * MariaDB refuses to change what is newer than the snapshot where it is told to, or from 11.6.2.
   */
  @Test
  void take_fromASlotThatIsNewerThanTheSnapshot_succeedsOrPassesWhenRunAgain(QueueDatabase database)
      throws Exception {
    make(database, TEA, 1, 100);
    try (Connection one = open(database);
        Connection other = open(database);
        Statement statement = one.createStatement()) {
      one.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      if (database.isMariaDb()) {
        statement.execute("SET SESSION innodb_snapshot_isolation = ON");
      }
      assertThat(counter.sum(one, TEA)).isEqualTo(100);
      assertThat(counter.take(other, TEA, 1)).isTrue();
      other.commit();
      if (database.isMariaDb()) {
        assertThatThrownBy(() -> counter.take(one, TEA, 1)).matches(TransientFailures::isTransient);
        one.rollback();
      }
      assertThat(counter.take(one, TEA, 1)).isTrue();
      one.commit();
    }
    assertThat(sum(database, TEA)).isEqualTo(98);
  }

  private void make(QueueDatabase database, String name, int slots, long amount)
      throws SQLException {
    try (Connection connection = open(database)) {
      assertThat(counter.make(connection, name, slots)).isTrue();
      if (amount > 0) {
        counter.add(connection, name, amount);
      }
      connection.commit();
    }
  }

  private long sum(QueueDatabase database, String name) throws SQLException {
    try (Connection connection = open(database)) {
      return counter.sum(connection, name);
    }
  }

  private static void write(QueueDatabase database, int isolation, Consumer<Connection> work)
      throws Exception {
    Threads.run(
        WRITERS,
        () -> {
          try (Connection connection = open(database)) {
            connection.setTransactionIsolation(isolation);
            work.accept(connection);
            return true;
          }
        });
  }

  private static Connection open(QueueDatabase database) throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  private static void again(Connection connection, Consumer<Connection> work) {
    while (true) {
      try {
        work.accept(connection);
        commit(connection);
        return;
      } catch (CounterException e) {
        rollback(connection);
        if (!TransientFailures.isTransient(e)) {
          throw e;
        }
      }
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The server's own count. */
  private static long deadlocks(QueueDatabase database) {
    return database.count(
        database.isMariaDb()
            ? "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME ="
                + " 'INNODB_DEADLOCKS'"
            : "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'");
  }
}
