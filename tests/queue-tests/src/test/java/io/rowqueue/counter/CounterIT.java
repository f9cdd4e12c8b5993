package io.rowqueue.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.database.TransientFailures;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What each call of a counter does, and what it refuses. */
@QueueTest
class CounterIT {

  private final SlottedCounter counter = SlottedCounter.create();

  @BeforeEach
  void noCounters(QueueDatabase database) {
    database.execute("DELETE FROM queue_counter");
  }

  @Test
  void takers_whoseWishesAreLargerThanASlot_areServedFromAll(QueueDatabase database)
      throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 10, 95);
    try (Connection connection = CounterScene.open(database)) {
      assertThat(counter.take(connection, CounterScene.TEA, 60)).isTrue();
      assertThat(counter.take(connection, CounterScene.TEA, 36)).isFalse();
      assertThat(counter.takeUpTo(connection, CounterScene.TEA, 30)).isEqualTo(30);
      assertThat(counter.takeUpTo(connection, CounterScene.TEA, 30)).isEqualTo(5);
      assertThat(counter.takeUpTo(connection, CounterScene.TEA, 30)).isZero();
      assertThat(counter.take(connection, CounterScene.TEA, 1)).isFalse();
      assertThat(counter.sum(connection, CounterScene.TEA)).isZero();
      connection.rollback();
    }
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA))
        .as("what a rollback gives back")
        .isEqualTo(95);
  }

  @Test
  void make_ofACounterThatExists_changesNothing(QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 5, 50);
    try (Connection connection = CounterScene.open(database)) {
      assertThat(counter.make(connection, CounterScene.TEA, 8))
          .as("an existing one, made anew")
          .isFalse();
      assertThat(counter.sum(connection, CounterScene.TEA)).isEqualTo(50);
      assertThat(counter.delete(connection, CounterScene.TEA)).isTrue();
      assertThat(counter.delete(connection, CounterScene.TEA)).isFalse();
      connection.commit();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter")).isZero();
  }

  /** Another process has emptied it: who hears that waits for nobody, and keeps no lock. */
  @Test
  void refusals_ofACounterThatOthersDrained_lockNothing(QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 10, 10_000);
    SlottedCounter elsewhere = SlottedCounter.create();
    try (Connection mine = CounterScene.open(database);
        Connection other = CounterScene.open(database);
        Statement holder = other.createStatement();
        Statement session = mine.createStatement()) {
      session.execute("SET SESSION innodb_lock_wait_timeout = 1");
      assertThat(counter.take(mine, CounterScene.TEA, 1)).isTrue();
      mine.commit();
      assertThat(elsewhere.takeUpTo(other, CounterScene.TEA, 10_000)).isEqualTo(9_999);
      other.commit();
      assertThat(counter.take(mine, CounterScene.TEA, 1)).isFalse();
      mine.commit();
      holder.executeQuery("SELECT amount FROM queue_counter FOR UPDATE").close();
      for (int turn = 0; turn < 20; turn++) {
        assertThat(counter.take(mine, CounterScene.TEA, 1)).isFalse();
      }
    }
  }

  @Test
  void adds_toASlotNearTheEndOfALong_areSpreadOrRefused(QueueDatabase database) throws Exception {
    long much = Long.MAX_VALUE / 5 * 2;
    CounterScene.make(database, counter, CounterScene.TEA, 2, 2 * much);
    try (Connection connection = CounterScene.open(database)) {
      assertThatThrownBy(() -> counter.add(connection, CounterScene.TEA, much - 1))
          .isInstanceOf(CounterException.class)
          .hasMessageContaining("would hold more");
      connection.rollback();
    }
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(2 * much);
  }

  @Test
  void counter_inJooqTransaction_sharesItsFate(QueueDatabase database) throws Exception {
    try (Connection connection = database.connect()) {
      DSLContext dsl =
          DSL.using(connection, database.isMariaDb() ? SQLDialect.MARIADB : SQLDialect.MYSQL);
      dsl.transaction(
          tx -> {
            assertThat(counter.make(tx.dsl(), CounterScene.TEA, 3)).isTrue();
            counter.add(tx.dsl(), CounterScene.TEA, 10);
          });
      assertThatThrownBy(
              () ->
                  dsl.transaction(
                      tx -> {
                        assertThat(counter.take(tx.dsl(), CounterScene.TEA, 4)).isTrue();
                        counter.spread(tx.dsl(), CounterScene.TEA, 1);
                        throw new IllegalStateException("business failure");
                      }))
          .hasMessageContaining("business failure");
      dsl.transaction(
          tx -> {
            assertThat(counter.takeUpTo(tx.dsl(), CounterScene.TEA, 99)).isEqualTo(10);
            assertThat(counter.sum(tx.dsl(), CounterScene.TEA)).isZero();
            assertThat(counter.delete(tx.dsl(), CounterScene.TEA)).isTrue();
          });
      assertThatThrownBy(() -> counter.take(dsl, CounterScene.TEA, 1))
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
    try (Connection connection = CounterScene.open(database)) {
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
    CounterScene.make(database, counter, CounterScene.TEA, 2, 1_000);
    try (Connection connection = CounterScene.open(database)) {
      assertThat(counter.take(connection, CounterScene.TEA, 1)).isTrue();
      connection.commit();
      database.execute("DELETE FROM queue_counter");
      assertThatThrownBy(() -> counter.add(connection, CounterScene.TEA, 1))
          .isInstanceOf(UnknownCounterException.class);
      assertThatThrownBy(() -> counter.take(connection, CounterScene.TEA, 1))
          .isInstanceOf(UnknownCounterException.class);
    }
  }

  @Test
  void arguments_thatMakeNoSense_areRefused(QueueDatabase database) throws Exception {
    try (Connection connection = CounterScene.open(database)) {
      for (String name : List.of("", "x".repeat(129), "Müsli", " tea", "tea ", "a\nb")) {
        assertThatThrownBy(() -> counter.take(connection, name, 1))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("counter");
      }
      for (long amount : List.of(0L, -1L, Long.MIN_VALUE)) {
        assertThatThrownBy(() -> counter.take(connection, CounterScene.TEA, amount))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("the amount must be at least 1, not " + amount);
        assertThatThrownBy(() -> counter.add(connection, CounterScene.TEA, amount))
            .isInstanceOf(IllegalArgumentException.class);
      }
      for (int slots : List.of(0, 1_001)) {
        assertThatThrownBy(() -> counter.make(connection, CounterScene.TEA, slots))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("1 to 1,000 slots");
      }
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter")).isZero();
  }

  @Test
  void amounts_beyondALong_areRefusedAndChangeNothing(QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 2, Long.MAX_VALUE);
    try (Connection connection = CounterScene.open(database)) {
      assertThatThrownBy(() -> counter.add(connection, CounterScene.TEA, Long.MAX_VALUE))
          .isInstanceOf(CounterException.class)
          .hasMessageContaining(CounterScene.TEA);
      assertThat(counter.take(connection, CounterScene.TEA, Long.MAX_VALUE)).isTrue();
      connection.rollback();
    }
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void slot_belowZero_isRefusedByTheTableItself(QueueDatabase database) throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 2, 1);
    assertThatThrownBy(() -> database.execute("UPDATE queue_counter SET amount = amount - 1"))
        .hasMessageContaining("queue_counter_amount");
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(1);
  }

  /**
   * MariaDB refuses to change what is newer than the snapshot where it is told to, or from 11.6.2.
   */
  @Test
  void take_fromASlotThatIsNewerThanTheSnapshot_succeedsOrPassesWhenRunAgain(QueueDatabase database)
      throws Exception {
    CounterScene.make(database, counter, CounterScene.TEA, 1, 100);
    try (Connection one = CounterScene.open(database);
        Connection other = CounterScene.open(database);
        Statement statement = one.createStatement()) {
      one.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      if (database.isMariaDb()) {
        statement.execute("SET SESSION innodb_snapshot_isolation = ON");
      }
      assertThat(counter.sum(one, CounterScene.TEA)).isEqualTo(100);
      assertThat(counter.take(other, CounterScene.TEA, 1)).isTrue();
      other.commit();
      if (database.isMariaDb()) {
        assertThatThrownBy(() -> counter.take(one, CounterScene.TEA, 1))
            .matches(TransientFailures::isTransient);
        one.rollback();
      }
      assertThat(counter.take(one, CounterScene.TEA, 1)).isTrue();
      one.commit();
    }
    assertThat(CounterScene.sum(database, counter, CounterScene.TEA)).isEqualTo(98);
  }
}
