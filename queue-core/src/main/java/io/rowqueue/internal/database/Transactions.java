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
import io.rowqueue.internal.text.RepeatedFailures;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs every transaction of the protocol: takes a connection, runs the work, commits, and rolls
 * back on any failure. After a transient failure (a deadlock, a lock wait timeout, a lost
 * connection, a server that accepts no writes at the moment) the whole transaction is repeated with
 * growing, jittered delays; never a statement or the COMMIT alone. Thread-safe.
 */
public final class Transactions {

  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  /** Shared, because a producer makes an instance per call. */
  private static final RepeatedFailures REPEATED = new RepeatedFailures(System::nanoTime);

  /** Delays of 20 ms, 40 ms and so on up to 2 s, each ±50 %: about 8 s in all. */
  private static final int RUNS = 9;

  /** Both servers refuse it while a transaction is open; otherwise it has no effect. */
  private static final String READ_WRITE = "SET TRANSACTION READ WRITE";

  private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

  private static final int IN_TRANSACTION = 1568;

  /** What a thread inside {@link #onOneConnection} keeps after a read. */
  private static final ThreadLocal<@Nullable Kept> KEPT = new ThreadLocal<>();

  /**
   * A handler's transaction is repeated at once at most twice; after that the message is retried.
   */
  private static final int HANDLER_RUNS = 3;

  private final DataSource dataSource;
  private final Supplier<@Nullable DataSource> reads;
  private final ServerDialect dialect;
  private final TransactionProbe probe;
  private final WorkerNotifier notifier;

  /**
   * The first statement on connections of the application's pool; servers refuse it inside a
   * transaction.
   */
  private final @Nullable String opening;

  private final boolean managed;

  /** Created on demand: a producer makes an instance per call, for one transition. */
  private final Map<Transition, Retry> retries = new ConcurrentHashMap<>();

  /**
   * Runs on connections of {@code dataSource}, a server of {@code dialect}, observed by {@code
   * probe}.
   */
  public Transactions(DataSource dataSource, ServerDialect dialect, TransactionProbe probe) {
    this(dataSource, () -> null, dialect, probe, WorkerNotifier.SILENT, null, false);
  }

  private Transactions(
      DataSource dataSource,
      Supplier<@Nullable DataSource> reads,
      ServerDialect dialect,
      TransactionProbe probe,
      WorkerNotifier notifier,
      @Nullable String opening,
      boolean managed) {
    this.dataSource = dataSource;
    this.reads = reads;
    this.dialect = dialect;
    this.probe = probe;
    this.notifier = notifier;
    this.opening = opening;
    this.managed = managed;
  }

  /**
   * Queries the server of {@code dataSource} for its dialect, and runs unobserved and {@link
   * #isolated}.
   *
   * @throws DatabaseUnavailableException if the server cannot be reached
   * @throws IllegalStateException if its sessions limit the rows that statements return or change
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
   * For the few reads of producers: without a query for the dialect, which is taken from the
   * announced version, and without checking session limits.
   *
   * @throws DatabaseUnavailableException if the server cannot be reached
   */
  public static Transactions ofProducer(DataSource dataSource) {
    return reached(dataSource, ServerDialect::of);
  }

  private static Transactions reached(
      DataSource dataSource, CheckedFunction<Connection, ServerDialect> dialect) {
    try (Connection connection = dataSource.getConnection()) {
      return new Transactions(dataSource, dialect.apply(connection), TransactionProbe.NONE)
          .isolated();
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(
          "the database cannot be reached: " + e.getMessage(), e);
    }
  }

  /**
   * A copy whose reads use connections of the data source that {@code reads} returns, which are in
   * auto-commit mode: a read is then one statement, where a transaction needs a second one to end
   * it. If it returns null, the read is a transaction.
   */
  public Transactions readingOver(Supplier<@Nullable DataSource> reads) {
    return new Transactions(dataSource, reads, dialect, probe, notifier, opening, managed);
  }

  /**
   * A copy that sets READ COMMITTED for each transaction, for connections with any isolation level:
   * in an older snapshot the counts of a batch would be outdated. Includes {@link #guarded}.
   */
  public Transactions isolated() {
    return new Transactions(dataSource, reads, dialect, probe, notifier, READ_COMMITTED, managed);
  }

  /**
   * A copy that rejects a connection that is already in a transaction, or in one of Spring that has
   * not sent a statement yet, with an {@link IllegalStateException}. Such a data source returns the
   * caller's own transaction, and RowQueue would commit or roll back changes that are not its own.
   */
  public Transactions guarded() {
    return new Transactions(dataSource, reads, dialect, probe, notifier, READ_WRITE, managed);
  }

  /**
   * A copy that notifies workers of the messages that a transaction has enqueued, after its commit.
   */
  public Transactions ringing(WorkerNotifier after) {
    return new Transactions(dataSource, reads, dialect, probe, after, opening, managed);
  }

  /**
   * A copy for connections whose transaction belongs to a framework: it begins before {@code
   * getConnection} returns, and ends in {@code commit} or {@code rollback}. The work's statements
   * need not go through the connection. A {@link RuntimeException} of {@code commit} that no server
   * error caused is a {@link WorkFailure}: the framework has rolled back.
   */
  public Transactions managed() {
    return new Transactions(dataSource, reads, dialect, probe, notifier, opening, true);
  }

  /** Whether a framework manages its transactions. */
  public boolean areManaged() {
    return managed;
  }

  /** The dialect of the server. */
  public ServerDialect dialect() {
    return dialect;
  }

  /**
   * Runs {@code work} in a transaction and commits it.
   *
   * @return the result of the run that committed
   * @throws CommitOutcomeUnknownException if the connection was lost during the COMMIT and
   *     repeating {@code transition} could apply it twice
   * @throws WorkFailure if the work threw one; it is rolled back and not repeated
   * @throws DatabaseUnavailableException if the database still fails after all retries
   */
  public <T> T run(Transition transition, TransactionalWork<T> work) {
    Retry retry = retries.computeIfAbsent(transition, this::retry);
    return unchecked(transition, () -> retry.executeCallable(() -> once(transition, work)));
  }

  /**
   * Like {@link #run}, but does not repeat the work after a transient failure: for work that
   * continues differently the second time.
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
   * or in auto-commit mode if there are connections for it. A query of several statements does not
   * see one snapshot in either case.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T read(Function<DSLContext, T> query) {
    return readOnConnection(connection -> query.apply(JooqSettings.dsl(connection, dialect)));
  }

  /**
   * Like {@link #read}, by JDBC.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T readOnConnection(CheckedFunction<Connection, T> readOnConnection) {
    DataSource now = reads.get();
    return now == null
        ? readInTransaction(kept(), readOnConnection)
        : readOnConnection(now, readOnConnection);
  }

  /**
   * Runs {@code work}. On the calling thread, a connection that a read has used is rolled back only
   * at the end of {@code work}, and the next read or transaction continues on it: one statement
   * less for a transaction that follows a read. For work of a few milliseconds, since the open
   * transaction blocks DDL. Not nested. Has no effect if {@link #isolated} or {@link #guarded}.
   */
  public <T> T onOneConnection(Supplier<T> work) {
    if (opening != null) {
      return work.get();
    }
    Kept own = new Kept(this);
    KEPT.set(own);
    try {
      return work.get();
    } finally {
      KEPT.remove();
      if (own.connection != null) {
        rollback(own.connection);
        close(own.connection);
      }
    }
  }

  /**
   * Runs all of {@code questions} in one read.
   *
   * @throws DatabaseUnavailableException if the database fails; no query is answered then
   */
  public void ask(List<PiggybackQuery> questions) {
    if (questions.isEmpty()) {
      return;
    }
    PiggybackQueries all = new PiggybackQueries(questions);
    all.complete(read(all::run));
  }

  /**
   * Reads in one transaction on one snapshot, without locks; the transaction is rolled back at its
   * end.
   *
   * @throws DatabaseUnavailableException if the database fails; not repeated
   */
  public <T> T readSnapshot(Function<DSLContext, T> query) {
    return readInTransaction(
        null,
        connection -> {
          DSLContext dsl = JooqSettings.dsl(connection, dialect);
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
    } catch (SQLException e) {
      throw unreadable(e);
    } catch (RuntimeException e) {
      throw ServerAnswer.isOfJooq(e) ? unreadable(e) : e;
    }
  }

  private <T> T readInTransaction(
      @Nullable Kept own, CheckedFunction<Connection, T> readOnConnection) {
    try {
      Connection connection = openOrKept(own);
      boolean read = false;
      try {
        T result = readOnConnection.apply(connection);
        read = true;
        return result;
      } finally {
        if (read && own != null) {
          own.connection = connection;
        } else {
          rollback(connection);
          close(connection);
        }
      }
    } catch (SQLException e) {
      throw unreadable(e);
    } catch (RuntimeException e) {
      throw ServerAnswer.isOfJooq(e) ? unreadable(e) : e;
    }
  }

  private static DatabaseUnavailableException unreadable(Exception e) {
    return new DatabaseUnavailableException(
        "a read failed: " + e.getMessage() + ServerAnswer.advice(e), e);
  }

  private <T> T once(Transition transition, TransactionalWork<T> work) throws Exception {
    Connection connection = openOrKept(kept());
    AfterCommit pending = new AfterCommit(notifier);
    Transaction transaction = new Transaction(connection, dialect, pending, managed);
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

  /** The pool detects the closed connection, and opens another one. */
  private static void discard(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a connection could not be closed: {}", e.getMessage());
    }
    rollback(connection);
  }

  private void commit(Transition transition, Connection connection)
      throws SQLException, RollbackRequiredException {
    probe.beforeCommit(transition);
    try {
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      if (opening != null && isRefusedByManager(e)) {
        throw new InTransactionException(e);
      }
      rollback(connection);
      if (leavesCommitOpen(e) && !transition.repeatableAfterUnknownCommit()) {
        throw new CommitOutcomeUnknownException(
            "it is unknown whether the COMMIT of "
                + transition.label()
                + " happened: "
                + e.getMessage()
                + ServerAnswer.advice(e),
            e);
      }
      SQLException answer = ServerAnswer.in(e);
      if (managed && answer != null && DiskFull.is(answer)) {
        throw new RollbackRequiredException(answer);
      }
      if (managed && isOfWork(e)) {
        throw new WorkFailure(e);
      }
      throw e;
    }
    probe.afterCommit(transition);
  }

  private boolean leavesCommitOpen(Exception e) {
    boolean refusedByFramework =
        managed && e instanceof RuntimeException && ServerAnswer.in(e) == null;
    return !refusedByFramework && TransientFailures.leavesCommitOpen(e);
  }

  /** A framework sends statements, and may refuse the transaction, in its commit. */
  private static boolean isOfWork(Exception e) {
    return e instanceof RuntimeException && !TransientFailures.isTransient(e);
  }

  /**
   * JDBC refuses COMMIT on a connection of a distributed transaction. Such an error does not come
   * from the server.
   */
  private static boolean isRefusedByManager(Exception e) {
    return e instanceof SQLException error
        && error.getErrorCode() == 0
        && !TransientFailures.isTransient(error)
        && !TransientFailures.leavesCommitOpen(error);
  }

  private @Nullable Kept kept() {
    Kept own = KEPT.get();
    return own != null && own.owner == this ? own : null;
  }

  private Connection openOrKept(@Nullable Kept own) throws SQLException {
    if (own == null || own.connection == null) {
      return open();
    }
    Connection connection = own.connection;
    own.connection = null;
    return connection;
  }

  private Connection open() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      if (opening != null) {
        refuseOpenTransaction(connection, opening);
      }
      if (connection.getAutoCommit()) {
        connection.setAutoCommit(false);
      } else if (opening != null && SpringTransaction.isOf(connection)) {
        throw new InTransactionException(null);
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

  /** If a rollback fails, the connection is lost, and the server rolls back. */
  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("rollback on a lost connection: {}", e.getMessage());
    }
  }

  /**
   * Returns a connection to its pool. The outcome is known by then, and a failure here does not
   * change it: a pool that resets auto-commit may find that the connection died after the COMMIT.
   */
  public static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a connection could not be closed: {}", e.getMessage());
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
    // Operators should see that retries happen; the final outcome is logged separately, or was a
    // success.
    String more =
        event.getNumberOfRetryAttempts() == 1 ? REPEATED.add(transition.label(), cause) : null;
    LOG.atLevel(more == null ? Level.DEBUG : Level.INFO)
        .log(
            "{} was rolled back and is repeated in {} (retry {}): {}{}",
            transition.label(),
            Humanize.duration(event.getWaitInterval()),
            event.getNumberOfRetryAttempts(),
            FailureText.of(cause),
            Objects.requireNonNullElse(more, ""));
    probe.repeated(transition, cause);
  }

  /** A connection in a transaction that has only read; null if there is none. */
  private static final class Kept {

    private final Transactions owner;
    private @Nullable Connection connection;

    Kept(Transactions owner) {
      this.owner = owner;
    }
  }

  /** A type of its own, so that it is not mistaken for a database failure. */
  private static final class InTransactionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    InTransactionException(@Nullable Exception refusal) {
      super(
          "the data source returned a connection that is already in a transaction, which RowQueue"
              + " would have to commit; to take part in that transaction call enqueue(connection,"
              + " ...) with its Connection (in Spring DataSourceUtils.getConnection(dataSource)),"
              + " for a transaction of RowQueue's own pass a DataSource that is not"
              + " transaction-aware",
          refusal);
    }
  }
}
