package io.rowqueue.worker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class SharedCommitNeighboursIT {

  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();

  private final CommitCounter acks = CommitCounter.ofAcks();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void sharedCommit_whileAllGoesWell_aGroupHasOneSavepointAndOneDeletion(QueueDatabase database) {
    Orders.enqueueAll(database, 500);
    Counts counts = new Counts();
    Orders.drain(database, counted(database, counts, Orders::write));
    Orders.assertHandled(database, 500, Set.of());
    assertThat(counts.savepoints.get()).isEqualTo(acks.count()).isLessThan(500);
    // Claims that were given back on a busy machine have another number, and a deletion of their
    // own.
    assertThat(counts.deletions.get()).isBetween(acks.count(), 2 * acks.count());
  }

  @Test
  void sharedCommit_ofProcedures_isCarefulAndStillShared(QueueDatabase database) {
    database.execute("DROP PROCEDURE IF EXISTS looks", "CREATE PROCEDURE looks() SELECT 1");
    Orders.enqueueAll(database, 300);
    Counts counts = new Counts();
    Orders.drain(
        database,
        counted(
            database,
            counts,
            (order, context) -> {
              Orders.write(order, context);
              context.transaction().execute("CALL looks()");
            }));
    Orders.assertHandled(database, 300, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(counts.deletions.get()).as("one behind each handler").isGreaterThanOrEqualTo(298);
    assertThat(acks.count()).isLessThan(300);
  }

  @Test
  void sharedCommit_afterOneHasFailed_isCarefulForAWhileOnly(QueueDatabase database) {
    Orders.enqueueAll(database, 4_000);
    Counts counts = new Counts();
    Orders.drain(
        database,
        counted(
            database,
            counts,
            (order, context) -> {
              Orders.write(order, context);
              // Its group is a large one, since the code is compiled.
              if (order.number() == 1_000) {
                throw new PermanentFailure("a thousand");
              }
            }));
    Orders.assertHandled(database, 4_000, Set.of(1_000));
    assertThat(counts.savepoints.get())
        .as("one for each of 16 groups' handlings")
        .isGreaterThan(16)
        .isLessThan(2_500);
  }

  @Test
  void sharedCommit_oneSwallowsThatItMayNotCommit_isHandledAloneAndHarmsNobody(
      QueueDatabase database) {
    Orders.enqueueAll(database, 40);
    Orders.drain(
        database,
        counted(
            database,
            new Counts(),
            (order, context) -> {
              Orders.write(order, context);
              if (order.number() == 20) {
                commitAndSwallow(context);
              }
            }));
    Orders.assertHandled(database, 40, Set.of());
    assertThat(Orders.deadLetters(database)).containsExactly("20 left-transaction 1");
  }

  /** A savepoint outlives its handler, and what its neighbours wrote lies behind it. */
  @Test
  void sharedCommit_oneGoesBackToASavepointOfAnother_nothingIsUndone(QueueDatabase database) {
    Orders.enqueueAll(database, 600);
    Orders.drain(
        database,
        counted(
            database,
            new Counts(),
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
            }));
    Orders.assertHandled(database, 600, Set.of());
  }

  private static void goBackIfThereIsOne(HandlerContext context) {
    try {
      execute(context, "ROLLBACK TO SAVEPOINT item");
    } catch (SQLException e) {
      // Refused, or the server knows none.
      assertThat(e.getMessage()).containsIgnoringCase("savepoint");
    }
  }

  /** MySQL prepares no savepoints. */
  private static void execute(HandlerContext context, String sql) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void sharedCommit_oneLeavesAResultOpen_itsNeighboursDoNotPay(QueueDatabase database) {
    Orders.enqueueAll(database, 20);
    Orders.drain(
        database,
        counted(
            database,
            new Counts(),
            (order, context) -> {
              Orders.write(order, context);
              Statement left = context.connection().createStatement();
              left.setFetchSize(Integer.MIN_VALUE);
              assertThat(left.executeQuery("SELECT 1 UNION ALL SELECT 2").next()).isTrue();
            }));
    Orders.assertHandled(database, 20, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(acks.count()).isLessThan(20);
  }

  @Test
  void sharedCommit_oneTriesUntilItsTimeIsOver_isNotCounted(QueueDatabase database) {
    database.execute("DROP PROCEDURE IF EXISTS looks", "CREATE PROCEDURE looks() SELECT 1");
    Orders.enqueueAll(database, 20);
    Orders.drainByOne(
        database,
        (order, context) -> {
          Orders.write(order, context);
          if (order.number() == 9) {
            callUntilItWorks(context);
          }
        },
        SHARED.withTimeout(Duration.ofSeconds(1)));
    Orders.assertHandled(database, 20, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  /** Until its time is over, as one does that retries by itself. */
  private static void callUntilItWorks(HandlerContext context) {
    Await.until(
        "the call works",
        Orders.SOON,
        () -> context.transaction().execute("CALL looks()"),
        rows -> true);
  }

  private static void commitAndSwallow(HandlerContext context) {
    try {
      context.transaction().execute("COMMIT");
    } catch (DataAccessException e) {
      assertThat(e).hasMessageContaining("COMMIT");
    }
  }

  private TestWorker counted(QueueDatabase database, Counts counts, MessageHandler<Order> handler) {
    return TestWorker.startOver(
        database,
        pool -> TappedConnections.over(pool, counts),
        config -> config.withThreads(1),
        acks,
        Handlers.bind("order", handler, SHARED));
  }

  /** What handlers' connections send. */
  private static final class Counts implements Tap {
    private final AtomicInteger savepoints = new AtomicInteger();
    private final AtomicInteger deletions = new AtomicInteger();

    @Override
    public void before(Sent sent, Connection real) {
      if (sent.begins("SAVEPOINT")) {
        savepoints.incrementAndGet();
      }
      if (sent.begins("DELETE")) {
        deletions.incrementAndGet();
      }
    }
  }
}
