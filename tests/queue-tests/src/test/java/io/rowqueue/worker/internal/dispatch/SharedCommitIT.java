package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that share a commit, on one thread, and what one of them may do to its neighbours. */
@QueueTest
class SharedCommitIT {

  private static final HandlerSettings DEFAULT = HandlerSettings.defaults();
  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();
  private static final Duration SHORT = Duration.ofMillis(300);

  private final QueueDatabase database;
  private final CommitCounter acks = CommitCounter.ofAcks();
  private final Counts counts = new Counts();
  private final AtomicInteger faults = new AtomicInteger();

  SharedCommitIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
    database.execute("DROP PROCEDURE IF EXISTS looks", "CREATE PROCEDURE looks() SELECT 1");
  }

  /** Handles {@code count} orders; {@code behind} runs behind the write of each. */
  private void handle(int count, HandlerSettings settings, MessageHandler<Order> behind) {
    Orders.enqueueAll(database, count);
    Orders.drain(database, start(config -> config.withThreads(1), settings, behind));
  }

  private TestWorker start(
      UnaryOperator<WorkerConfig> config, HandlerSettings settings, MessageHandler<Order> behind) {
    MessageHandler<Order> handler =
        (order, context) -> {
          Orders.write(order, context);
          behind.handle(order, context);
        };
    return TestWorker.startOver(
        database,
        pool -> TappedConnections.over(pool, counts),
        config,
        acks,
        Handlers.bind("order", handler, settings));
  }

  /** Whether {@code order} has this number, and comes for the first time. */
  private boolean isFirst(Order order, int number) {
    return order.number() == number && faults.incrementAndGet() == 1;
  }

  /** All, and none was counted as failed. */
  private void assertHandledAtOnce(int count) {
    Orders.assertHandled(database, count, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  private void assertHandledTwice(int number, int count) {
    Orders.assertHandled(database, count, Set.of());
    assertThat(database.strings("SELECT number FROM handled WHERE attempt > 1"))
        .containsExactly(Integer.toString(number));
    assertThat(database.strings("SELECT attempt FROM handled WHERE number = " + number))
        .containsExactly("2");
  }

  @Test
  void sharedCommit_whileAllGoesWell_aGroupHasOneSavepointAndOneDeletion() {
    handle(500, SHARED, (order, context) -> {});
    Orders.assertHandled(database, 500, Set.of());
    assertThat(counts.savepoints.get()).isEqualTo(acks.count()).isLessThan(500);
    // Claims that were given back on a busy machine have another number, and a deletion of their
    // own.
    assertThat(counts.deletions.get()).isBetween(acks.count(), 2 * acks.count());
  }

  @Test
  void sharedCommit_everyTenthFails_itsNeighboursAreUnharmed() {
    handle(
        300,
        SHARED,
        (order, context) -> {
          if (order.number() % 10 == 3) {
            throw new PermanentFailure("three");
          }
        });
    Set<Integer> failing =
        IntStream.range(0, 30).mapToObj(ten -> 10 * ten + 3).collect(Collectors.toSet());
    Orders.assertHandled(database, 300, failing);
    assertThat(Orders.deadLetters(database)).hasSize(30).allMatch(dead -> dead.endsWith(" 1"));
    assertThat(acks.count()).isLessThan(270);
  }

  @Test
  void sharedCommit_afterOneHasFailed_isCarefulForAWhileOnly() {
    handle(
        4_000,
        SHARED,
        (order, context) -> {
          // Its group is a large one, since the code is compiled.
          if (order.number() == 1_000) {
            throw new PermanentFailure("a thousand");
          }
        });
    Orders.assertHandled(database, 4_000, Set.of(1_000));
    assertThat(counts.savepoints.get())
        .as("one for each of 16 groups' handlings")
        .isGreaterThan(16)
        .isLessThan(2_500);
  }

  @Test
  void sharedCommit_ofProcedures_isCarefulAndStillShared() {
    handle(300, SHARED, (order, context) -> context.transaction().execute("CALL looks()"));
    assertHandledAtOnce(300);
    assertThat(counts.deletions.get()).as("one behind each handler").isGreaterThanOrEqualTo(298);
    assertThat(acks.count()).isLessThan(300);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sharedCommit_oneCommitsBySqlText_itsNeighboursEffectsHappenOnce(boolean swallowed) {
    handle(
        40,
        SHARED,
        (order, context) -> {
          if (order.number() == 20) {
            commit(context, swallowed);
          }
        });
    // What number 20 wrote before its COMMIT is there: that is what it did to itself.
    Orders.assertHandled(database, 40, Set.of());
    assertThat(Orders.deadLetters(database)).containsExactly("20 left-transaction 1");
  }

  private static void commit(HandlerContext context, boolean swallowed) {
    try {
      context.transaction().execute("COMMIT");
    } catch (DataAccessException e) {
      assertThat(e).hasMessageContaining("COMMIT");
      if (!swallowed) {
        throw e;
      }
    }
  }

  @Test
  void sharedCommit_oneSwallowsADeadlock_everyEffectHappensOnce() {
    Set<Integer> deadlocked = ConcurrentHashMap.newKeySet();
    handle(
        40,
        SHARED,
        (order, context) -> {
          if (order.number() % 10 == 5 && deadlocked.add(order.number())) {
            Orders.swallowDeadlock(context);
          }
        });
    assertThat(deadlocked).hasSize(4);
    assertHandledAtOnce(40);
  }

  @Test
  void sharedCommit_oneIsLost_leavesNoTraceAndItsNeighboursCommit() {
    handle(
        300,
        SHARED,
        (order, context) -> {
          if (isFirst(order, 11)) {
            Orders.steal(database, context);
          }
        });
    Orders.assertHandled(database, 300, Set.of());
    assertThat(faults).hasPositiveValue();
    assertThat(acks.count()).isLessThan(300);
  }

  @Test
  void sharedCommit_oneHangs_itFailsAndItsNeighboursHappenOnce() {
    handle(
        30,
        SHARED.withTimeout(SHORT),
        (order, context) -> {
          if (isFirst(order, 9)) {
            context.transaction().execute("SELECT SLEEP(60)");
          }
        });
    assertHandledTwice(9, 30);
  }

  @Test
  void sharedCommit_oneHeedsNothing_itsNeighboursHappenOnce() {
    CountDownLatch testIsOver = new CountDownLatch(1);
    Orders.enqueueAll(database, 20);
    try (TestWorker worker =
        start(
            config -> config.withThreads(1).withLeaseDuration(Duration.ofSeconds(3)),
            SHARED.withTimeout(SHORT),
            (order, context) -> {
              if (isFirst(order, 9)) {
                Orders.awaitDeaf(testIsOver);
              }
            })) {
      Orders.awaitNoneLeft(database);
      testIsOver.countDown();
    }
    assertHandledTwice(9, 20);
  }

  /** Until its time is over, as one does that retries by itself. */
  @Test
  void sharedCommit_oneTriesUntilItsTimeIsOver_isNotCounted() {
    handle(
        20,
        SHARED.withTimeout(Duration.ofSeconds(1)),
        (order, context) -> {
          if (order.number() == 9) {
            Await.until(
                "the call works",
                Orders.SOON,
                () -> context.transaction().execute("CALL looks()"),
                rows -> true);
          }
        });
    assertHandledAtOnce(20);
  }

  @Test
  void sharedCommit_oneLeavesAResultOpen_itsNeighboursDoNotPay() {
    handle(
        20,
        SHARED,
        (order, context) -> {
          Statement left = context.connection().createStatement();
          left.setFetchSize(Integer.MIN_VALUE);
          assertThat(left.executeQuery("SELECT 1 UNION ALL SELECT 2").next()).isTrue();
        });
    assertHandledAtOnce(20);
    assertThat(acks.count()).isLessThan(20);
  }

  /** A savepoint outlives its handler, and what its neighbours wrote lies behind it. */
  @Test
  void sharedCommit_oneGoesBackToASavepointOfAnother_nothingIsUndone() {
    Orders.enqueueAll(database, 600);
    MessageHandler<Order> handler =
        (order, context) -> {
          // Groups are large once the code is compiled.
          boolean late = order.number() >= 500;
          if (late && order.number() % 10 == 0) {
            execute(context, "SAVEPOINT item");
          }
          if (late && order.number() % 10 == 5) {
            goBackIfThereIsOne(context);
          }
          Orders.write(order, context);
        };
    Orders.drainByOne(database, handler, SHARED);
    Orders.assertHandled(database, 600, Set.of());
  }

  private static void goBackIfThereIsOne(HandlerContext context) {
    try {
      execute(context, "ROLLBACK TO SAVEPOINT item");
    } catch (SQLException e) {
      // The server knows none.
      assertThat(e.getMessage()).containsIgnoringCase("savepoint");
    }
  }

  /** MySQL prepares no savepoints. */
  private static void execute(HandlerContext context, String sql) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute(sql);
    }
  }

  /** Its first claim belonged to no list then, and stayed the living worker's for good. */
  @Test
  void sharedCommit_noConnectionToBeginWith_theFirstIsHandledAllTheSame() {
    counts.refusing = true;
    handle(3, SHARED, (order, context) -> {});
    assertThat(counts.refusing).isFalse();
    assertHandledAtOnce(3);
  }

  @Test
  void byDefault_shortHandlersWithABacklog_shareCommits() {
    AtomicInteger handled = new AtomicInteger();
    Orders.enqueueAll(database, 1_000);
    // Without a statement, so that a busy server does not make the handler slow.
    Orders.drain(
        database,
        TestWorker.startOver(
            database,
            pool -> pool,
            config -> config.withThreads(1),
            acks,
            Handlers.bind("order", (order, context) -> handled.incrementAndGet(), DEFAULT)));
    assertThat(handled).hasValue(1_000);
    assertThat(acks.count()).isBetween(32, 700);
  }

  @Test
  void byDefault_withCommitEach_eachHasItsOwn() {
    handle(200, DEFAULT.withCommitEach(), (order, context) -> {});
    assertHandledAtOnce(200);
    assertThat(acks.count()).isEqualTo(200);
  }

  @Test
  void byDefault_slowHandlers_commitEach() {
    handle(100, DEFAULT, (order, context) -> context.transaction().execute("DO SLEEP(0.02)"));
    assertHandledAtOnce(100);
    assertThat(acks.count()).isEqualTo(100);
  }

  @Test
  void byDefault_handlersThatCallProcedures_commitEach() {
    handle(200, DEFAULT, (order, context) -> context.transaction().execute("CALL looks()"));
    assertHandledAtOnce(200);
    assertThat(acks.count()).isEqualTo(200);
  }

  @Test
  void byDefault_handlersWithNestedTransactionsOrProgress_commitEach() {
    handle(
        200,
        DEFAULT,
        (order, context) -> {
          if (order.number() % 2 == 0) {
            context.transaction().transaction(nested -> nested.dsl().execute("DO 1"));
          } else {
            context.progress(1, "half");
          }
        });
    assertHandledAtOnce(200);
    assertThat(acks.count()).isEqualTo(200);
  }

  /** The statement works where it stands: the messages before it are deleted first. */
  @ParameterizedTest
  @ValueSource(strings = {"CALL looks()", "SAVEPOINT mine", "SET @mine = 1"})
  void byDefault_moreThanRowsAfterManyPlainHandlings_theHandlerSeesNoError(String statement) {
    AtomicInteger handled = new AtomicInteger();
    handle(
        1_000,
        DEFAULT,
        (order, context) -> {
          if (order.number() == 500) {
            handled.incrementAndGet();
            execute(context, statement);
          }
        });
    assertHandledAtOnce(1_000);
    assertThat(handled).as("handlings of the message that sent it").hasValue(1);
    assertThat(acks.count()).as("none is shared after it").isBetween(499, 990);
  }

  @Test
  void byDefault_groupCannotBeAckedBeforeAProcedure_eachIsHandledAlone() {
    AtomicInteger handled = new AtomicInteger();
    handle(
        1_000,
        DEFAULT,
        (order, context) -> {
          if (order.number() == 500) {
            counts.refusingDeletion = handled.incrementAndGet() == 1;
            execute(context, "CALL looks()");
          }
        });
    assertHandledAtOnce(1_000);
    assertThat(handled).as("handlings of the message that sent it").hasValue(2);
  }

  @Test
  void byDefault_oneFailsAfterAProcedureInItsGroup_onlyThatOneCountsAnAttempt() {
    handle(
        1_000,
        DEFAULT,
        (order, context) -> {
          if (order.number() == 500) {
            execute(context, "CALL looks()");
            throw new PermanentFailure("behind a procedure");
          }
        });
    Orders.assertHandled(database, 1_000, Set.of(500));
    assertThat(Orders.deadLetters(database)).hasSize(1).allMatch(dead -> dead.endsWith(" 1"));
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  @Test
  void byDefault_oneOfManyFails_onlyThatOneCountsAnAttempt() {
    handle(
        1_000,
        DEFAULT,
        (order, context) -> {
          if (order.number() % 250 == 249) {
            throw new PermanentFailure("every 250th");
          }
        });
    Orders.assertHandled(database, 1_000, Set.of(249, 499, 749, 999));
    assertThat(Orders.deadLetters(database)).hasSize(4).allMatch(dead -> dead.endsWith(" 1"));
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  /** Two rows in opposite orders deadlock, also in groups, and nothing is lost or doubled. */
  @Test
  void byDefault_handlersWhoseLocksMeet_happenOnce() {
    database.execute(
        "CREATE TABLE hot (id INT PRIMARY KEY, n INT NOT NULL)",
        "INSERT INTO hot VALUES (0, 0), (1, 0)");
    Orders.enqueueAll(database, 2_000);
    Orders.drain(
        database,
        start(
            config -> config.withThreads(4),
            // Handlers that deadlock again and again use up a few attempts.
            DEFAULT.withMaxAttempts(100),
            (order, context) -> {
              for (int row = 0; row < 2; row++) {
                context
                    .transaction()
                    .execute("UPDATE hot SET n = n + 1 WHERE id = ?", (order.number() + row) % 2);
              }
            }));
    Orders.assertHandled(database, 2_000, Set.of());
    assertThat(database.strings("SELECT n FROM hot")).containsOnly("2000");
  }

  /** What handlers' connections send. */
  private static final class Counts implements Tap {
    private final AtomicInteger savepoints = new AtomicInteger();
    private final AtomicInteger deletions = new AtomicInteger();
    private volatile boolean refusing;
    private volatile boolean refusingDeletion;

    @Override
    public void opening() throws SQLException {
      if (refusing) {
        refusing = false;
        throw new SQLTransientConnectionException("no connection can be had just now");
      }
    }

    @Override
    public void before(Sent sent, Connection real) throws SQLException {
      if (sent.begins("SAVEPOINT")) {
        savepoints.incrementAndGet();
      }
      if (sent.begins("DELETE")) {
        deletions.incrementAndGet();
        if (refusingDeletion) {
          refusingDeletion = false;
          throw new SQLException("a deadlock", "40001", 1213);
        }
      }
    }
  }
}
