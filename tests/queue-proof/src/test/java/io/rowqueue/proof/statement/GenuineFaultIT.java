package io.rowqueue.proof.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.operation.Fixture;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.race.Rows;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.LockWaits;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/*
 * Goal: what StatementFaultIT throws is what the driver throws, and what it does to the transaction is
 * what the servers do.
 * Method: another transaction holds the row that a transition writes second. For a lock wait timeout it
 * goes on holding it; for a deadlock it asks for the row that the transition locked first.
 */
@QueueTest
class GenuineFaultIT {

  private static final String WEIGHT = "SELECT n FROM weight WHERE id = 1";

  @BeforeAll
  static void makeWeights(QueueDatabase database) {
    Adversary.makeWeights(database);
  }

  static Stream<Arguments> meetings() {
    return Arrays.stream(Meeting.values())
        .flatMap(
            meeting -> Arrays.stream(Fault.values()).map(fault -> Arguments.of(meeting, fault)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("meetings")
  void transition_isRefusedAsSimulatedAndRepeated(
      Meeting meeting, Fault fault, QueueDatabase database) throws SQLException {
    Outcome undisturbed = undisturbed(meeting, database);
    database.clean();
    Encounter encounter = new Encounter(meeting);
    DataSource tapped = TappedConnections.over(database.dataSource(), encounter);
    Act act =
        meeting
            .operation()
            .setup()
            .arrange(new Fixture(database, database.dataSource()), new Core(tapped, encounter));
    try (Connection onlooker = database.connect();
        Adversary adversary = new Adversary(database, fault, meeting.held, meeting.wanted)) {
      encounter.with(adversary);
      assertThat(act.run()).isEqualTo(undisturbed.answer());
      assertThat(Rows.committed(onlooker).timeless()).isEqualTo(undisturbed.after().timeless());
    }
    assertThat(encounter.refusals).hasSize(1);
    assertSame(encounter.refusals.get(0), fault);
  }

  private static Outcome undisturbed(Meeting meeting, QueueDatabase database) {
    try (OperationRunner runner = new OperationRunner(database)) {
      return runner.run(meeting.operation());
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Fault.class)
  void server_keepsOrUndoesWhatWasWrittenBefore(Fault fault, QueueDatabase database)
      throws SQLException {
    long before = database.count(WEIGHT);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        Adversary adversary =
            new Adversary(
                database,
                fault,
                "UPDATE weight SET n = n + 1 WHERE id = 2",
                "SELECT n FROM weight WHERE id = 1 FOR UPDATE")) {
      connection.setAutoCommit(false);
      statement.execute("UPDATE weight SET n = n + 1 WHERE id = 1");
      adversary.meet(connection);
      SQLException refusal =
          catchThrowableOfType(
              SQLException.class,
              () -> statement.execute("UPDATE weight SET n = n + 1 WHERE id = 2"));
      assertSame(refusal, fault);
      try (ResultSet row = statement.executeQuery(WEIGHT)) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(fault == Fault.DEADLOCK ? before : before + 1);
      }
      connection.rollback();
      adversary.giveWay();
    }
  }

  private static void assertSame(SQLException refusal, Fault fault) {
    SQLException simulated = fault.exception();
    assertThat(refusal.getClass()).isEqualTo(simulated.getClass());
    assertThat(refusal.getErrorCode()).isEqualTo(simulated.getErrorCode());
    assertThat(refusal.getSQLState()).isEqualTo(simulated.getSQLState());
    assertThat(refusal.getMessage()).isEqualTo(simulated.getMessage());
  }

  /** A transition, and the row that it writes second. */
  private enum Meeting {
    RETRY(
        Transition.RETRY,
        "insert into `queue_attempt`",
        "INSERT INTO queue_attempt VALUES (1, 1, 1, 'o', UTC_TIMESTAMP(6), 'E', 'm', 't')",
        "SELECT id FROM queue_message WHERE id = 1 FOR UPDATE"),

    REAP(
        Transition.REAP,
        "insert into `queue_dead_letter`",
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, payload) VALUES (1, 'other',"
            + " 0, 1, 1, 0, 'r', 'd', 'o', UTC_TIMESTAMP(), UTC_TIMESTAMP(), UTC_TIMESTAMP(), 'p')",
        "SELECT id FROM queue_message WHERE id = 1 FOR UPDATE"),

    REDRIVE(
        Transition.REDRIVE,
        "insert into `queue_message`",
        "INSERT INTO queue_message (id, topic, payload) VALUES (1, 'other', 'p')",
        "SELECT id FROM queue_dead_letter WHERE id = 1 FOR UPDATE");

    private final Transition transition;
    private final String second;
    private final String held;
    private final String wanted;

    Meeting(Transition transition, String second, String held, String wanted) {
      this.transition = transition;
      this.second = second;
      this.held = held;
      this.wanted = wanted;
    }

    Operation operation() {
      return Operations.first(transition);
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Brings the two together, and parts them once the transition was refused. */
  private static final class Encounter implements Tap, TransactionProbe {

    private final Meeting meeting;
    private final List<SQLException> refusals = new ArrayList<>();
    private final List<Adversary> adversaries = new ArrayList<>(1);

    Encounter(Meeting meeting) {
      this.meeting = meeting;
    }

    void with(Adversary adversary) {
      adversaries.add(adversary);
    }

    @Override
    public void before(Sent sent, Connection real) throws SQLException {
      if (sent.begins(meeting.second)) {
        for (Adversary adversary : adversaries) {
          adversary.meet(real);
        }
      }
    }

    @Override
    public void repeated(Transition transition, Throwable cause) {
      refusals.add(Errors.sql(cause));
      adversaries.forEach(Adversary::giveWay);
    }
  }

  /**
   * Another transaction, which holds a row that somebody is going to want. Has a server make what
   * {@link Fault} simulates.
   */
  static final class Adversary implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final Fault fault;
    private final String wanted;
    private final Connection other;
    private final Connection onlooker;
    private final LockWaits waits;
    private @Nullable CompletableFuture<Void> asking;
    private boolean met;

    /** Begins its transaction. */
    Adversary(QueueDatabase database, Fault fault, String held, String wanted) throws SQLException {
      this.fault = fault;
      this.wanted = wanted;
      this.other = database.connect();
      this.onlooker = database.connect();
      this.waits = new LockWaits(onlooker, database.isMariaDb());
      other.setAutoCommit(false);
      // Who has changed more rows is not the one whom the server rolls back.
      execute(other, "UPDATE weight SET n = n + 1 WHERE id > 1");
      execute(other, held);
    }

    static void makeWeights(QueueDatabase database) {
      database.execute(
          "CREATE TABLE weight (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)",
          "INSERT INTO weight (n) VALUES (0), (0), (0), (0)",
          "INSERT INTO weight (n) SELECT a.n FROM weight a, weight b, weight c");
    }

    /** {@code connection} is about to want the row that is held. Happens once. */
    void meet(Connection connection) throws SQLException {
      if (met) {
        return;
      }
      met = true;
      if (fault == Fault.LOCK_WAIT_TIMEOUT) {
        execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
        return;
      }
      asking = CompletableFuture.runAsync(this::ask);
      Await.until("the other waits", SOON, waits::tables, tables -> !tables.isEmpty());
    }

    private void ask() {
      try {
        execute(other, wanted);
        other.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException("the server rolled back the other", e);
      }
    }

    /** Gives everything back, so that whoever was refused may try again. */
    void giveWay() {
      try {
        CompletableFuture<Void> running = asking;
        if (running == null) {
          other.rollback();
        } else {
          running.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
      } catch (SQLException | InterruptedException | ExecutionException | TimeoutException e) {
        throw new IllegalStateException(e);
      }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }

    @Override
    public void close() throws SQLException {
      other.close();
      onlooker.close();
    }
  }
}
