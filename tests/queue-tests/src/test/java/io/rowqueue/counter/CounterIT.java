package io.rowqueue.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Threads;
import io.rowqueue.tests.Threads.Work;
import io.rowqueue.worker.internal.dispatch.CommitCounter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class CounterIT {

  private static final String TEA = CounterScene.TEA;

  private final ShardedCounter counter = ShardedCounter.create();
  private final QueueDatabase database;

  CounterIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void noCounters() {
    database.execute("DELETE FROM queue_counter");
  }

  private void make(int slots, long amount) throws SQLException {
    CounterScene.make(database, counter, TEA, slots, amount);
  }

  private long sum() throws SQLException {
    return CounterScene.sum(database, counter, TEA);
  }

  private Connection open() throws SQLException {
    return CounterScene.open(database);
  }

  @Test
  void takers_whoseWishesAreLargerThanASlot_areServedFromAll() throws Exception {
    make(10, 95);
    try (Connection connection = open()) {
      assertThat(counter.take(connection, TEA, 60)).isTrue();
      assertThat(counter.take(connection, TEA, 36)).isFalse();
      assertThat(counter.takeUpTo(connection, TEA, 30)).isEqualTo(30);
      assertThat(counter.takeUpTo(connection, TEA, 30)).isEqualTo(5);
      assertThat(counter.takeUpTo(connection, TEA, 30)).isZero();
      assertThat(counter.take(connection, TEA, 1)).isFalse();
      assertThat(counter.sum(connection, TEA)).isZero();
      connection.rollback();
    }
    assertThat(sum()).as("what a rollback gives back").isEqualTo(95);
  }

  @Test
  void make_ofACounterThatExists_changesNothing() throws Exception {
    make(5, 50);
    try (Connection connection = open()) {
      assertThat(counter.make(connection, TEA, 8)).as("an existing one, made anew").isFalse();
      assertThat(counter.sum(connection, TEA)).isEqualTo(50);
      assertThat(counter.delete(connection, TEA)).isTrue();
      assertThat(counter.delete(connection, TEA)).isFalse();
      connection.commit();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter")).isZero();
  }

  /** Another process has emptied it: who hears that waits for nobody, and keeps no lock. */
  @Test
  void refusals_ofACounterThatOthersDrained_lockNothing() throws Exception {
    make(10, 10_000);
    ShardedCounter elsewhere = ShardedCounter.create();
    try (Connection mine = open();
        Connection other = open();
        Statement holder = other.createStatement();
        Statement session = mine.createStatement()) {
      session.execute("SET SESSION innodb_lock_wait_timeout = 1");
      assertThat(counter.take(mine, TEA, 1)).isTrue();
      mine.commit();
      assertThat(elsewhere.takeUpTo(other, TEA, 10_000)).isEqualTo(9_999);
      other.commit();
      assertThat(counter.take(mine, TEA, 1)).isFalse();
      mine.commit();
      holder.executeQuery("SELECT amount FROM queue_counter FOR UPDATE").close();
      for (int turn = 0; turn < 20; turn++) {
        assertThat(counter.take(mine, TEA, 1)).isFalse();
      }
    }
  }

  @Test
  void adds_toASlotNearTheEndOfALong_areSpreadOrRefused() throws Exception {
    long much = Long.MAX_VALUE / 5 * 2;
    make(2, 2 * much);
    try (Connection connection = open()) {
      assertThatThrownBy(() -> counter.add(connection, TEA, much - 1))
          .isInstanceOf(CounterException.class)
          .hasMessageContaining("would hold more");
      connection.rollback();
    }
    assertThat(sum()).isEqualTo(2 * much);
  }

  @Test
  void counter_inJooqTransaction_sharesItsFate() throws Exception {
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
                        counter.reshard(tx.dsl(), TEA, 1);
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
  void counter_thatNobodyMade_isNamedWithWhatToDo() throws Exception {
    List<Consumer<Connection>> calls =
        List.of(
            connection -> counter.add(connection, "no/such", 1),
            connection -> counter.take(connection, "no/such", 1),
            connection -> counter.takeUpTo(connection, "no/such", 1),
            connection -> counter.sum(connection, "no/such"),
            connection -> counter.reshard(connection, "no/such", 2));
    try (Connection connection = open()) {
      for (Consumer<Connection> call : calls) {
        assertThatThrownBy(() -> call.accept(connection))
            .isInstanceOf(UnknownCounterException.class)
            .hasMessage("there is no counter 'no/such'; create it first, with ShardedCounter.make");
      }
    }
  }

  /** It was there when its slots were last looked at. */
  @Test
  void counter_deletedByOthers_isUnknownAtOnce() throws Exception {
    make(2, 1_000);
    try (Connection connection = open()) {
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
  void arguments_thatMakeNoSense_areRefused() throws Exception {
    try (Connection connection = open()) {
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
  void amounts_beyondALong_areRefusedAndChangeNothing() throws Exception {
    make(2, Long.MAX_VALUE);
    try (Connection connection = open()) {
      assertThatThrownBy(() -> counter.add(connection, TEA, Long.MAX_VALUE))
          .isInstanceOf(CounterException.class)
          .hasMessageContaining(TEA);
      assertThat(counter.take(connection, TEA, Long.MAX_VALUE)).isTrue();
      connection.rollback();
    }
    assertThat(sum()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void slot_belowZero_isRefusedByTheTableItself() throws Exception {
    make(2, 1);
    assertThatThrownBy(() -> database.execute("UPDATE queue_counter SET amount = amount - 1"))
        .hasMessageContaining("queue_counter_amount");
    assertThat(sum()).isEqualTo(1);
  }

  /**
   * MariaDB refuses to change what is newer than the snapshot where it is told to, or from 11.6.2.
   */
  @Test
  void take_fromASlotThatIsNewerThanTheSnapshot_succeedsOrPassesWhenRunAgain() throws Exception {
    make(1, 100);
    try (Connection one = open();
        Connection other = open();
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
    assertThat(sum()).isEqualTo(98);
  }

  @EachIsolation
  void writers_whileThereIsEnough_areExactAndWaitForNobodyInACircle(int isolation)
      throws Exception {
    make(ShardedCounter.SLOTS, 20_000);
    AtomicLong expected = new AtomicLong(20_000);
    CounterScene.write(
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
            CounterScene.commit(connection);
          }
        });
    assertThat(sum()).isEqualTo(expected.get());
  }

  @EachIsolation
  void takers_racingForTheLast_getExactlyWhatThereIs(int isolation) throws Exception {
    make(ShardedCounter.SLOTS, 300);
    AtomicInteger taken = new AtomicInteger();
    CounterScene.write(
        database,
        isolation,
        connection -> {
          boolean enough;
          do {
            enough = counter.take(connection, TEA, 1);
            CounterScene.commit(connection);
            taken.addAndGet(enough ? 1 : 0);
          } while (enough);
        });
    assertThat(taken).hasValue(300);
    assertThat(database.strings("SELECT DISTINCT amount FROM queue_counter")).containsExactly("0");
  }

  @Test
  void counters_twoInOneTransaction_changeTogetherAndInNoCircle() throws Exception {
    CounterScene.make(database, counter, "budget", 4, 0);
    make(10, 8_000);
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          for (int turn = 0; turn < 50; turn++) {
            counter.add(connection, "budget", 3);
            assertThat(counter.take(connection, TEA, 1)).isTrue();
            if (turn % 5 == 0) {
              CounterScene.rollback(connection);
            } else {
              CounterScene.commit(connection);
            }
          }
        });
    assertThat(CounterScene.sum(database, counter, "budget"))
        .isEqualTo(CounterScene.WRITERS * 40 * 3);
    assertThat(sum()).isEqualTo(8_000 - CounterScene.WRITERS * 40);
  }

  /** Slots go and come under the writers' hands; who meets a deadlock runs again, as it must. */
  @Test
  void spread_underLoad_losesNothing() throws Exception {
    make(10, 5_000);
    AtomicInteger writing = new AtomicInteger(CounterScene.WRITERS);
    Work writer =
        () -> {
          try (Connection connection = open()) {
            for (int turn = 0; turn < 100; turn++) {
              CounterScene.again(connection, tx -> assertThat(counter.take(tx, TEA, 2)).isTrue());
              CounterScene.again(connection, tx -> counter.add(tx, TEA, 1));
            }
          } finally {
            writing.decrementAndGet();
          }
        };
    Work spreader =
        () -> {
          try (Connection connection = open()) {
            for (int turn = 0; writing.get() > 0; turn++) {
              int slots = List.of(3, 20, 1, 12).get(turn % 4);
              CounterScene.again(connection, tx -> counter.reshard(tx, TEA, slots));
            }
            CounterScene.again(connection, tx -> counter.reshard(tx, TEA, 7));
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
  void make_byManyAtOnce_makesItOnce() throws Exception {
    AtomicInteger made = new AtomicInteger();
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          if (counter.make(connection, TEA, 5)) {
            made.incrementAndGet();
            counter.add(connection, TEA, 50);
          }
          CounterScene.commit(connection);
        });
    assertThat(made).hasValue(1);
    assertThat(sum()).isEqualTo(50);
  }

  @Test
  void make_beforeEachTakeOfACounterThatExists_meetsNobodyInACircle() throws Exception {
    make(2, 100_000);
    CounterScene.write(
        database,
        Connection.TRANSACTION_READ_COMMITTED,
        connection -> {
          for (int turn = 0; turn < 50; turn++) {
            assertThat(counter.make(connection, TEA, 2)).isFalse();
            assertThat(counter.take(connection, TEA, 1)).isTrue();
            CounterScene.commit(connection);
          }
        });
    assertThat(sum()).isEqualTo(100_000 - CounterScene.WRITERS * 50);
  }

  /** One transaction is one writer, however many handlers it has. */
  @Test
  void handlers_thatShareACommit_shareASlot() throws Exception {
    Orders.openBooks(database);
    make(50, 500_000);
    Orders.enqueueAll(database, 100);
    CommitCounter acks = CommitCounter.ofAcks();
    Orders.drainByOne(
        database,
        (order, context) -> assertThat(counter.take(context.transaction(), TEA, 1)).isTrue(),
        HandlerSettings.defaults().withSharedCommit(),
        acks);
    assertThat(sum()).isEqualTo(499_900);
    assertThat(database.count("SELECT COUNT(*) FROM queue_counter WHERE amount <> 10000"))
        .as("slots that were taken from")
        .isPositive()
        .isLessThanOrEqualTo(acks.count());
  }
}
