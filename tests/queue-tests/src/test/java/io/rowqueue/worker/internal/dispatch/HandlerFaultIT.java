package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.inject.Module;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: a deadlock or a lock wait timeout at any statement of the handler's transaction has the message
 * handled again, its effect happens once, and no attempt is counted.
 * Method: a running worker, whose handlers' connections refuse one statement, with a few messages for
 * each kind of statement that such a transaction has.
 */
@QueueTest
class HandlerFaultIT {

  private static final int MESSAGES = 5;

  /** Of which the handler will not have anything. */
  private static final int REFUSED = 2;

  private final OneStatement tap = new OneStatement();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean refusing;
  private volatile boolean filling;

  @TestFactory
  Stream<DynamicTest> oneStatementIsRefused_alone(QueueDatabase database) {
    return cases(database, Binding.ALONE);
  }

  @TestFactory
  Stream<DynamicTest> oneStatementIsRefused_batch(QueueDatabase database) {
    return cases(database, Binding.BATCH);
  }

  @TestFactory
  Stream<DynamicTest> oneStatementIsRefused_sharedCommit(QueueDatabase database) {
    return cases(database, Binding.SHARED_COMMIT);
  }

  @TestFactory
  Stream<DynamicTest> oneStatementIsRefused_carefulSharedCommit(QueueDatabase database) {
    return cases(database, Binding.CAREFUL_SHARED_COMMIT);
  }

  private Stream<DynamicTest> cases(QueueDatabase database, Binding binding) {
    Orders.openBooks(database);
    TestWorker worker = start(database, binding);
    return Arrays.stream(Hit.values())
        .filter(hit -> hit.occurrence <= binding.most(hit))
        .flatMap(
            hit ->
                hit.faults.stream()
                    .map(
                        fault ->
                            dynamicTest(
                                "%s, %s: %s".formatted(binding, hit, fault),
                                () -> assertHandledOnce(database, hit, fault))))
        .onClose(worker::close);
  }

  private TestWorker start(QueueDatabase database, Binding binding) {
    database.execute("CREATE PROCEDURE IF NOT EXISTS nothing() DO 0");
    return TestWorker.startOver(
        database,
        pool -> TappedConnections.over(pool, tap),
        config -> config.withThreads(1),
        binding.handler(this));
  }

  private void write(Order order, HandlerContext context) {
    calls.incrementAndGet();
    Orders.write(order, context);
    if (filling && order.number() == REFUSED) {
      context.transaction().execute("INSERT INTO scratch VALUES ('')");
    }
    if (refusing && order.number() == REFUSED) {
      throw new PermanentFailure("two");
    }
  }

  private void assertHandledOnce(QueueDatabase database, Hit hit, Fault fault) {
    handle(database, hit, fault);
    Orders.assertHandled(database, MESSAGES, Set.of());
    assertThat(calls).as("calls of the handler").hasValueGreaterThan(MESSAGES);
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  private void handle(QueueDatabase database, Hit hit, Fault fault) {
    Orders.openBooks(database);
    calls.set(0);
    tap.refuse(hit, fault);
    Orders.enqueueAll(database, MESSAGES);
    Orders.awaitNoneLeft(database);
    assertThat(tap.struck()).as("the statement was sent and refused").isTrue();
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_attempt WHERE message_id NOT IN (SELECT id FROM"
                    + " queue_dead_letter)"))
        .isZero();
  }

  /** The only one that takes back a single handling of several. */
  @ParameterizedTest(name = "shared commit, the way back to the savepoint: {0}")
  @EnumSource(Fault.class)
  void failingNeighbour_isSetAsideOnceAndTheOthersAreHandledOnce(
      Fault fault, QueueDatabase database) {
    refusing = true;
    Orders.openBooks(database);
    try (TestWorker worker = start(database, Binding.CAREFUL_SHARED_COMMIT)) {
      handle(database, Hit.BACK_TO_SAVEPOINT, fault);
    }
    Orders.assertHandled(database, MESSAGES, Set.of(REFUSED));
    assertThat(Orders.deadLetters(database)).containsExactly(REFUSED + " permanent-failure 1");
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @CsvSource({
    "ALONE, FIRST_DELETE, 1213, 4",
    "ALONE, FIRST_DELETE, 1644, 2",
    "ALONE, COMMIT, 3100, 2",
    "BATCH, FIRST_DELETE, 1213, 4",
    "BATCH, FIRST_DELETE, 1644, 2",
    "BATCH, COMMIT, 3100, 2"
  })
  void settlement_refusedAgainAndAgain_countsNoAttempt(
      Binding binding, Hit hit, int code, int times, QueueDatabase database) {
    Orders.openBooks(database);
    tap.refuseEach(hit, new SQLException("refused", "45000", code), times);
    try (TestWorker worker = start(database, binding)) {
      Orders.enqueueAll(database, 1);
      Orders.awaitNoneLeft(database);
    }
    assertThat(tap.struck()).as("each was sent and refused").isTrue();
    Orders.assertHandled(database, 1, Set.of());
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("1");
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  /** Neither may the effects of a failing handler be repeated every few seconds. */
  @ParameterizedTest(name = "{0}, {1}, {2}")
  @CsvSource({
    "ALONE, INSERT ON queue_attempt, 1644",
    "ALONE, INSERT ON queue_attempt, 1114",
    "ALONE, INSERT ON queue_dead_letter, 1644",
    "BATCH, INSERT ON queue_attempt, 1644",
    "SHARED_COMMIT, INSERT ON queue_attempt, 1644",
    "WITHOUT_TRANSACTION, INSERT ON queue_dead_letter, 1062"
  })
  void failure_whoseSettlementIsRefused_isReleasedWithAGrowingDelay(
      HandlingMode mode, String changes, int code, QueueDatabase database) {
    Module failing =
        mode.bind(
            "order",
            Order.class,
            (order, context) -> {
              calls.incrementAndGet();
              throw new IllegalStateException("no");
            },
            HandlerSettings.defaults()
                .withMaxAttempts(changes.endsWith("queue_attempt") ? 2 : 1)
                .withRetryPolicy(RetryPolicy.fixed(Duration.ZERO)));
    try (TestWorker worker = TestWorker.start(database, failing)) {
      try (RefusingTrigger refusal = RefusingTrigger.on(database, changes, "TRUE", code)) {
        Orders.enqueueAll(database, 1);
        Orders.awaitCount(
            database,
            "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND attempts = 0"
                + " AND due_at > UTC_TIMESTAMP(6) + INTERVAL 1600000 MICROSECOND",
            1);
        assertThat(calls).as("calls of the handler").hasValueGreaterThan(1);
      }
      Orders.awaitWithoutRests(
          database, "the failure is recorded", () -> database.count(Orders.DEAD) == 1);
    }
    assertThat(database.strings("SELECT reason FROM queue_dead_letter"))
        .containsExactly("attempts-exhausted");
    database.execute("DELETE FROM queue_dead_letter", "DELETE FROM queue_attempt");
  }

  /** A shortage of the handler's own statement says nothing about its neighbours. */
  @Test
  void table_thatIsFullForOneOfABatch_delaysItMoreAndMoreAndNoneOfTheOthers(
      QueueDatabase database) {
    Orders.openBooks(database);
    database.execute(
        "CREATE TABLE scratch (filler CHAR(1) NOT NULL)",
        "CREATE TRIGGER scratch_full BEFORE INSERT ON scratch FOR EACH ROW SIGNAL SQLSTATE 'HY000'"
            + " SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'The table is full'");
    filling = true;
    try (TestWorker worker = start(database, Binding.BATCH)) {
      Orders.enqueueAll(database, MESSAGES);
      Orders.awaitCount(database, Orders.HANDLED, MESSAGES - 1);
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message"
              + " WHERE due_at > UTC_TIMESTAMP(6) + INTERVAL 1600000 MICROSECOND",
          1);
      database.execute("DROP TRIGGER scratch_full");
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, MESSAGES, Set.of());
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  private enum Binding {
    ALONE(HandlingMode.ALONE),
    BATCH(HandlingMode.BATCH),
    SHARED_COMMIT(HandlingMode.SHARED_COMMIT),

    /** Of a handler that sends what nobody knows not to commit. */
    CAREFUL_SHARED_COMMIT(HandlingMode.SHARED_COMMIT);

    private final HandlingMode mode;

    Binding(HandlingMode mode) {
      this.mode = mode;
    }

    Module handler(HandlerFaultIT test) {
      HandlerSettings settings = HandlerSettings.defaults();
      return mode.bind(
          "order",
          Order.class,
          (order, context) -> {
            test.write(order, context);
            if (this == CAREFUL_SHARED_COMMIT) {
              context.transaction().execute("CALL nothing()");
            }
          },
          this == BATCH ? settings.withBatchSize(MESSAGES) : settings);
    }

    /** How often {@code hit} is sent at the least, however the messages come together. */
    int most(Hit hit) {
      return switch (hit) {
        case BACK_TO_SAVEPOINT -> 0;
        case COMMIT -> 1;
        case FIRST_WRITE, THIRD_WRITE -> MESSAGES;
        default -> this == BATCH || this == SHARED_COMMIT ? 1 : MESSAGES;
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
  }

  /** Which statement of the handlers' transactions is refused. */
  @SuppressWarnings("ImmutableEnumChecker") // It does not see that List.of is immutable.
  private enum Hit {
    FIRST_SAVEPOINT("SAVEPOINT", 1, Fault.DEADLOCK),
    THIRD_SAVEPOINT("SAVEPOINT", 3, Fault.DEADLOCK),
    FIRST_WRITE("INSERT INTO handled", 1, Fault.values()),
    THIRD_WRITE("INSERT INTO handled", 3, Fault.values()),
    FIRST_RELEASE("RELEASE SAVEPOINT", 1, Fault.DEADLOCK),
    THIRD_RELEASE("RELEASE SAVEPOINT", 3, Fault.DEADLOCK),
    FIRST_DELETE("DELETE", 1, Fault.values()),
    THIRD_DELETE("DELETE", 3, Fault.values()),
    COMMIT("COMMIT", 1, Fault.DEADLOCK),
    BACK_TO_SAVEPOINT("ROLLBACK TO SAVEPOINT", 1, Fault.DEADLOCK);

    private final String words;
    private final int occurrence;
    private final List<Fault> faults;

    Hit(String words, int occurrence, Fault... faults) {
      this.words = words;
      this.occurrence = occurrence;
      this.faults = List.of(faults);
    }

    @Override
    public String toString() {
      return (occurrence == 1 ? "first " : "third ") + words;
    }
  }

  /** Refuses one statement of the handler threads. */
  private static final class OneStatement implements Tap {

    private Hit hit = Hit.COMMIT;
    private Fault fault = Fault.DEADLOCK;
    private @Nullable SQLException each;
    private int left;

    synchronized void refuse(Hit next, Fault how) {
      hit = next;
      fault = how;
      left = next.occurrence;
    }

    synchronized void refuseEach(Hit next, SQLException answer, int times) {
      hit = next;
      each = answer;
      left = times;
    }

    synchronized boolean struck() {
      return left == 0;
    }

    @Override
    public synchronized void before(Sent sent, Connection real) throws SQLException {
      if (left > 0 && sent.begins(hit.words)) {
        left--;
        if (each != null) {
          throw each;
        }
        if (left == 0) {
          fault.injection(real);
        }
      }
    }
  }
}
