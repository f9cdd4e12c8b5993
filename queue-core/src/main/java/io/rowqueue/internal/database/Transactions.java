package io.rowqueue.internal.database;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.event.RetryOnRetryEvent;
import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs every transaction of the protocol: takes a connection, runs the work, commits, and on any
 * failure rolls back. A failure that passes (a deadlock, a lock wait timeout, a lost connection, a
 * server that takes no writes just now) is answered by running the whole transaction again with
 * growing, jittered waits; never by repeating a statement or the COMMIT alone. Thread-safe.
 */
public final class Transactions {

  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  /** Waits of 20 ms, 40 ms and so on up to 2 s, each ±50 %: about 8 s in all. */
  private static final int RUNS = 9;

  /** Refused by both servers while a transaction is open; without effect otherwise. */
  private static final String READ_WRITE = "SET TRANSACTION READ WRITE";

  private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

  private static final int IN_TRANSACTION = 1568;

  /** A handler's whole transaction runs again on the spot at most twice; then it is a retry. */
  private static final int HANDLER_RUNS = 3;

  static final Settings SETTINGS =
      new Settings()
          .withRenderSchema(false)
          .withExecuteLogging(false)
          .withFetchWarnings(false)
          .withInListPadding(true)
          .withReturnIdentityOnUpdatableRecord(false);

  private final DataSource dataSource;
  private final @Nullable DataSource looks;
  private final SQLDialect dialect;
  private final TransactionProbe probe;
  private final WorkerNotifier notifier;

  /** The first statement on connections of others, which servers refuse in a transaction. */
  private final @Nullable String opening;

  /** Filled as they are needed: a producer makes one of these for each call, for one transition. */
  private final Map<Transition, Retry> retries = new ConcurrentHashMap<>();

  /**
   * Runs on connections of {@code dataSource}, a server of {@code dialect}, watched by {@code
   * probe}.
   */
  public Transactions(DataSource dataSource, SQLDialect dialect, TransactionProbe probe) {
    this(dataSource, null, dialect, probe, WorkerNotifier.SILENT, null);
  }

  private Transactions(
      DataSource dataSource,
      @Nullable DataSource looks,
      SQLDialect dialect,
      TransactionProbe probe,
      WorkerNotifier notifier,
      @Nullable String opening) {
    this.dataSource = dataSource;
    this.looks = looks;
    this.dialect = dialect;
    this.probe = probe;
    this.notifier = notifier;
    this.opening = opening;
  }

  /**
   * Asks the server of {@code dataSource} for its dialect, and runs unwatched and {@link
   * #isolated}.
   *
   * @throws DatabaseUnavailableException if the server cannot be reached
   * @throws IllegalStateException if its sessions limit what statements return or change
   */
  public static Transactions on(DataSource dataSource) {
    return reached(
        dataSource,
        connection -> {
          SessionSettings.check(connection);
          return ServerDialect.ask(connection);
        });
  }

  /**
   * The same for the few reads of producers, without a query first: by the announced dialect, and
   * whatever the limits of its sessions are.
   *
   * @throws DatabaseUnavailableException if the server cannot be reached
   */
  public static Transactions ofProducer(DataSource dataSource) {
    return reached(dataSource, ServerDialect::of);
  }

  private static Transactions reached(
      DataSource dataSource, CheckedFunction<Connection, SQLDialect> dialect) {
    try (Connection connection = dataSource.getConnection()) {
      return new Transactions(dataSource, dialect.apply(connection), TransactionProbe.NONE)
          .isolated();
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(
          "the database cannot be reached: " + e.getMessage(), e);
    }
  }

  /**
   * The same, but reads go over connections of {@code looks}, which have auto-commit on: a look is
   * then one statement, where a transaction needs a second one to end it.
   */
  public Transactions lookingOver(DataSource looks) {
    return new Transactions(dataSource, looks, dialect, probe, notifier, opening);
  }

  /**
   * The same, but each transaction asks for READ COMMITTED, for connections that may be set to
   * anything: in an older snapshot a batch's counts would be those of its beginning. Refuses what
   * {@link #guarded} refuses.
   */
  public Transactions isolated() {
    return new Transactions(dataSource, looks, dialect, probe, notifier, READ_COMMITTED);
  }

  /**
   * The same, but it refuses a connection that is in a transaction already, with an {@link
   * IllegalStateException}: a data source that hands out the caller's own transaction. RowQueue
   * would commit or roll back what it did not begin.
   */
  public Transactions guarded() {
    return new Transactions(dataSource, looks, dialect, probe, notifier, READ_WRITE);
  }

  /** The same, but what a transaction enqueues is rung for once it has committed. */
  public Transactions ringing(WorkerNotifier after) {
    return new Transactions(dataSource, looks, dialect, probe, after, opening);
  }

  /** jOOQ on a connection that somebody else owns, with the settings of the house. */
  public static DSLContext dsl(Connection connection, SQLDialect dialect) {
    return DSL.using(connection, dialect, SETTINGS);
  }

  /** The dialect of the server. */
  public SQLDialect dialect() {
    return dialect;
  }

  /**
   * Runs {@code work} in a transaction and commits it.
   *
   * @return what the work returned in the run that committed
   * @throws CommitOutcomeUnknownException if the connection was lost during the COMMIT and running
   *     {@code transition} again could do it twice
   * @throws WorkFailure if the work threw one; it is rolled back and not repeated
   * @throws DatabaseUnavailableException if the database still fails after every repetition
   */
  public <T> T run(Transition transition, TransactionalWork<T> work) {
    Retry retry = retries.computeIfAbsent(transition, this::retry);
    return unchecked(transition, () -> retry.executeCallable(() -> once(transition, work)));
  }

  /**
   * The same, without repeating it after a failure that passes: for work that goes on differently
   * the second time.
   */
  public <T> T runOnce(Transition transition, TransactionalWork<T> work) {
    return unchecked(transition, () -> once(transition, work));
  }

  private static <T> T unchecked(Transition transition, Callable<T> action) {
    try {
      return action.call();
    } catch (QueueException | InTransactionException e) {
      throw e;
    } catch (Exception e) {
      throw new DatabaseUnavailableException(
          transition.label()
              + " failed and was rolled back: "
              + e.getMessage()
              + ServerAnswer.advice(e),
          e);
    }
  }

  /**
   * Reads outside any transition, without locks, in a transaction that is rolled back at its end,
   * or with auto-commit on where there are connections for it. A query of several statements does
   * not see one snapshot in either case.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T read(Function<DSLContext, T> query) {
    return readOnConnection(connection -> query.apply(dsl(connection, dialect)));
  }

  /**
   * The same, by JDBC.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T readOnConnection(CheckedFunction<Connection, T> readOnConnection) {
    return looks == null
        ? pollAndRollBack(readOnConnection)
        : readOnConnection(looks, readOnConnection);
  }

  /**
   * Asks all of {@code questions} in one read.
   *
   * @throws DatabaseUnavailableException if the database fails; nobody is answered then
   */
  public void ask(List<PiggybackQuery> questions) {
    if (questions.isEmpty()) {
      return;
    }
    PiggybackQueries all = new PiggybackQueries(questions);
    all.complete(read(all::run));
  }

  /**
   * Reads in one transaction on one snapshot, without locks; rolled back at its end.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T readSnapshot(Function<DSLContext, T> query) {
    return pollAndRollBack(
        connection -> {
          DSLContext dsl = dsl(connection, dialect);
          dsl.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
          return query.apply(dsl);
        });
  }

  private static <T> T readOnConnection(
      DataSource dataSource, CheckedFunction<Connection, T> readOnConnection) {
    try {
      Connection connection = dataSource.getConnection();
      try {
        return readOnConnection.apply(connection);
      } finally {
        close(connection);
      }
    } catch (SQLException | org.jooq.exception.DataAccessException e) {
      throw unreadable(e);
    }
  }

  private <T> T pollAndRollBack(CheckedFunction<Connection, T> readOnConnection) {
    try {
      Connection connection = open();
      try {
        return readOnConnection.apply(connection);
      } finally {
        rollback(connection);
        close(connection);
      }
    } catch (SQLException | org.jooq.exception.DataAccessException e) {
      throw unreadable(e);
    }
  }

  private static DatabaseUnavailableException unreadable(Exception e) {
    return new DatabaseUnavailableException(
        "a read failed: " + e.getMessage() + ServerAnswer.advice(e), e);
  }

  private <T> T once(Transition transition, TransactionalWork<T> work) throws Exception {
    Connection connection = open();
    AfterCommit pending = new AfterCommit(notifier);
    Transaction transaction = new Transaction(connection, dialect, pending);
    try {
      T result;
      try {
        result = work.in(transaction);
      } catch (Throwable e) {
        rollback(connection);
        throw e;
      }
      commit(transition, connection);
      pending.committed(connection);
      return result;
    } finally {
      if (transaction.isDiscarded()) {
        discard(connection);
      }
      close(connection);
    }
  }

  /** A pool takes back what it finds closed, and opens another one. */
  private static void discard(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("a connection could not be closed: {}", e.getMessage());
    }
    rollback(connection);
  }

  private void commit(Transition transition, Connection connection) throws SQLException {
    probe.beforeCommit(transition);
    try {
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      rollback(connection);
      if (TransientFailures.leavesCommitOpen(e) && !transition.repeatableAfterUnknownCommit()) {
        throw new CommitOutcomeUnknownException(
            "it is unknown whether the COMMIT of "
                + transition.label()
                + " happened: "
                + e.getMessage()
                + ServerAnswer.advice(e),
            e);
      }
      throw e;
    }
    probe.afterCommit(transition);
  }

  private Connection open() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      if (opening != null) {
        refuseOpenTransaction(connection, opening);
      }
      if (connection.getAutoCommit()) {
        connection.setAutoCommit(false);
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      close(connection);
      throw e;
    }
  }

  private static void refuseOpenTransaction(Connection connection, String opening)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(opening);
    } catch (SQLException e) {
      if (e.getErrorCode() != IN_TRANSACTION) {
        throw e;
      }
      throw new InTransactionException(e);
    }
  }

  /** A rollback that fails has lost its connection, and the server rolls back for it. */
  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      LOG.debug("rollback on a lost connection: {}", e.getMessage());
    }
  }

  /**
   * Gives a connection back. The outcome is known by then, and no failure here changes it: a pool
   * that sets auto-commit again may find out that the connection died behind the COMMIT.
   */
  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a connection could not be given back: {}", e.getMessage());
    }
  }

  private Retry retry(Transition transition) {
    RetryConfig config =
        RetryConfig.custom()
            .maxAttempts(transition == Transition.ACK ? HANDLER_RUNS : RUNS)
            .intervalFunction(
                IntervalFunction.ofExponentialRandomBackoff(
                    Duration.ofMillis(20), 2.0, 0.5, Duration.ofSeconds(2)))
            .retryOnException(Transactions::isRepeatable)
            .build();
    Retry retry = Retry.of(transition.label(), config);
    retry.getEventPublisher().onRetry(event -> repeated(transition, event));
    return retry;
  }

  private static boolean isRepeatable(Throwable failure) {
    return !(failure instanceof CommitOutcomeUnknownException)
        && TransientFailures.isTransient(failure);
  }

  private void repeated(Transition transition, RetryOnRetryEvent event) {
    Throwable cause = event.getLastThrowable();
    // People need to know that it happens; how it ends is told by what follows, or by nothing.
    Level level = event.getNumberOfRetryAttempts() == 1 ? Level.INFO : Level.DEBUG;
    LOG.atLevel(level)
        .log(
            "{} was rolled back and runs again in {} (repetition {}): {}",
            transition.label(),
            Humanize.duration(event.getWaitInterval()),
            event.getNumberOfRetryAttempts(),
            FailureText.of(cause));
    probe.repeated(transition, cause);
  }

  /** Its own kind, so that nothing takes it for a failure of the database. */
  private static final class InTransactionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    InTransactionException(SQLException refusal) {
      super(
          "the data source gave a connection that is in a transaction already, which RowQueue would"
              + " have to commit; to take part in that transaction pass its Connection (in Spring"
              + " DataSourceUtils.getConnection(dataSource)), for a transaction of RowQueue's own"
              + " pass a DataSource that is not transaction-aware",
          refusal);
    }
  }
}
