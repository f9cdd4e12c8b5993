package io.rowqueue.proof.operation;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.ProcessKilled;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.proof.race.Rows;
import io.rowqueue.proof.statement.Errors;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Runs operations in a schema, over connections that can be made to fail. For one thread. */
public final class OperationRunner implements AutoCloseable {

  /** A transaction, and a query in the midst of it. */
  private static final int MOST_AT_ONCE = 2;

  private static final Tap NONE = new Tap() {};

  private final QueueDatabase database;
  private final HikariDataSource administrator;
  private final HikariDataSource account;
  private final Fixture fixture;
  private final Connection observer;
  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private final List<String> repetitions = new ArrayList<>();
  private final DataSource tapped;
  private Tap tap = NONE;

  public OperationRunner(QueueDatabase database) {
    this(database, database.dataSource());
  }

  /** Runs them by {@code account}; its owner arranges them. */
  public OperationRunner(QueueDatabase database, DataSource account) {
    this.database = database;
    this.administrator = pool(database.dataSource());
    this.account = pool(account);
    this.fixture = new Fixture(database, administrator);
    this.observer = database.connect();
    this.tapped = TappedConnections.over(this.account, new Recorder());
    askForDialect();
  }

  /** Which a process does once for a server: else the first operation sends one query more. */
  private void askForDialect() {
    try (Connection connection = tapped.getConnection()) {
      ServerDialect.of(connection);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As a worker's is. */
  private static HikariDataSource pool(DataSource connections) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(connections);
    config.setAutoCommit(false);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setMaximumPoolSize(MOST_AT_ONCE);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  public Outcome run(Operation operation) {
    return run(operation, NONE);
  }

  /** Runs it on an empty queue, and tells {@code next} what it sends. */
  public Outcome run(Operation operation, Tap next) {
    return run(arrange(operation.setup()), next);
  }

  /** Runs what {@code setup} arranges, and lets its failure out; the text of what it has sent. */
  public String send(Setup setup) {
    Outcome outcome = run(arrange(setup), NONE);
    if (outcome.failure() != null) {
      throw outcome.failure();
    }
    if (sent.stream().anyMatch(Sent::isCommit) && outcome.after().equals(outcome.before())) {
      throw new AssertionError("it had no effect");
    }
    return sent.stream().map(Sent::sql).collect(Collectors.joining("\n"));
  }

  private Act arrange(Setup setup) {
    database.clean();
    return setup.arrange(fixture, new Core(tapped, new Repetitions()));
  }

  /** Does once more what {@code outcome} did, on what that left. */
  public Outcome again(Outcome outcome) {
    return run(outcome.act(), NONE);
  }

  private Outcome run(Act act, Tap next) {
    Rows before = rows();
    repetitions.clear();
    sent.clear();
    tap = next;
    Object answer = null;
    RuntimeException failure = null;
    try {
      answer = act.run();
    } catch (RuntimeException e) {
      failure = e;
    } catch (ProcessKilled e) {
      account.getHikariPoolMXBean().softEvictConnections();
    } finally {
      tap = NONE;
    }
    return new Outcome(
        act, answer, failure, List.copyOf(sent), List.copyOf(repetitions), before, rows());
  }

  /** Every row of every table, as everybody sees it. */
  public Rows rows() {
    try {
      return Rows.committed(observer);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public Fixture fixture() {
    return fixture;
  }

  @Override
  public void close() {
    administrator.close();
    account.close();
    try {
      observer.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Records what is sent, and passes it on. */
  private final class Recorder implements Tap {
    @Override
    public void opening() throws SQLException {
      tap.opening();
    }

    @Override
    public void before(Sent next, Connection real) throws SQLException {
      sent.add(next);
      tap.before(next, real);
    }
  }

  /** Records what the core reports to logs and metrics. */
  private final class Repetitions implements TransactionProbe {
    @Override
    public void repeated(Transition transition, Throwable cause) {
      repetitions.add(transition.label() + ": " + Errors.sql(cause).getErrorCode());
    }
  }
}
