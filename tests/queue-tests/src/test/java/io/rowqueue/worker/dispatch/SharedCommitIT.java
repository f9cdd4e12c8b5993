package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class SharedCommitIT {

  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();

  private final CommitCounter acks = CommitCounter.ofAcks();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void sharedCommit_manyMessages_fewCommits(QueueDatabase database) {
    Orders.enqueueAll(database, 500);
    Orders.drain(
        database,
        TestWorker.start(
            database, config -> config, acks, Handlers.bind("order", Orders::write, SHARED)));
    Orders.assertHandled(database, 500, Set.of());
    assertThat(acks.count()).isLessThan(500);
  }

  @Test
  void sharedCommit_everyTenthFails_itsNeighboursAreUnharmed(QueueDatabase database) {
    Orders.enqueueAll(database, 300);
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() % 10 == 3) {
            throw new PermanentFailure("three");
          }
        },
        SHARED,
        acks);
    Set<Integer> failing =
        IntStream.range(0, 30).mapToObj(ten -> 10 * ten + 3).collect(Collectors.toSet());
    Orders.assertHandled(database, 300, failing);
    assertThat(Orders.deadLetters(database)).hasSize(30).allMatch(dead -> dead.endsWith(" 1"));
    assertThat(acks.count()).isLessThan(270);
  }

  @Test
  void sharedCommit_oneCommitsBySqlText_itsNeighboursEffectsHappenOnce(QueueDatabase database) {
    Orders.enqueueAll(database, 40);
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() == 20) {
            context.transaction().execute("COMMIT");
          }
        },
        SHARED);
    // What number 20 wrote before its COMMIT is there: that is what it did to itself.
    Orders.assertHandled(database, 40, Set.of());
    assertThat(Orders.deadLetters(database)).containsExactly("20 left-transaction 1");
  }

  @Test
  void sharedCommit_oneSwallowsADeadlock_everyEffectHappensOnce(QueueDatabase database) {
    Orders.enqueueAll(database, 40);
    Set<Integer> deadlocked = ConcurrentHashMap.newKeySet();
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() % 10 == 5 && deadlocked.add(order.number())) {
            Orders.swallowDeadlock(context);
          }
        },
        SHARED);
    assertThat(deadlocked).hasSize(4);
    Orders.assertHandled(database, 40, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  @Test
  void sharedCommit_oneIsLost_leavesNoTraceAndItsNeighboursCommit(QueueDatabase database) {
    Orders.enqueueAll(database, 300);
    Set<Integer> stolen = ConcurrentHashMap.newKeySet();
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() == 11 && stolen.add(11)) {
            Orders.steal(database, context);
          }
        },
        SHARED,
        acks);
    Orders.assertHandled(database, 300, Set.of());
    assertThat(stolen).containsExactly(11);
    assertThat(acks.count()).isLessThan(300);
  }

  @Test
  void sharedCommit_oneHangs_itFailsAndItsNeighboursHappenOnce(QueueDatabase database) {
    Orders.enqueueAll(database, 30);
    Set<Integer> hung = ConcurrentHashMap.newKeySet();
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() == 9 && hung.add(9)) {
            context.transaction().execute("SELECT SLEEP(60)");
          }
        },
        SHARED.withTimeout(Duration.ofMillis(300)));
    Orders.assertHandled(database, 30, Set.of());
    assertThat(database.strings("SELECT attempt FROM handled WHERE number = 9"))
        .containsExactly("2");
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled WHERE number <> 9"))
        .containsExactly("1");
  }

  @Test
  void sharedCommit_oneHeedsNothing_itsNeighboursHappenOnce(QueueDatabase database) {
    Orders.enqueueAll(database, 20);
    Set<Integer> deaf = ConcurrentHashMap.newKeySet();
    CountDownLatch testIsOver = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1).withLease(Duration.ofSeconds(3)),
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  if (order.number() == 9 && deaf.add(9)) {
                    Orders.awaitDeaf(testIsOver);
                  }
                },
                SHARED.withTimeout(Duration.ofMillis(300))))) {
      Orders.awaitNoneLeft(database);
      testIsOver.countDown();
    }
    Orders.assertHandled(database, 20, Set.of());
    assertThat(database.strings("SELECT attempt FROM handled WHERE number = 9"))
        .containsExactly("2");
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled WHERE number <> 9"))
        .containsExactly("1");
  }

  /** Its first claim belonged to no list then, and stayed the living worker's for good. */
  @Test
  void sharedCommit_noConnectionToBeginWith_theFirstIsHandledAllTheSame(QueueDatabase database) {
    Orders.enqueueAll(database, 3);
    AtomicInteger asked = new AtomicInteger();
    Tap refusesTheFirst =
        new Tap() {
          @Override
          public void opening() throws SQLException {
            if (asked.getAndIncrement() == 0) {
              throw new SQLTransientConnectionException("no connection can be had just now");
            }
          }
        };
    Orders.drain(
        database,
        TestWorker.startOver(
            database,
            pool -> TappedConnections.over(pool, refusesTheFirst),
            config -> config.withThreads(1),
            Handlers.bind("order", Orders::write, SHARED)));
    assertThat(asked).hasValueGreaterThan(1);
    Orders.assertHandled(database, 3, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }
}
