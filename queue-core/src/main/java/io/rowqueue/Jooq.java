package io.rowqueue;

import io.rowqueue.internal.enqueue.CallersTransaction;
import io.rowqueue.internal.wakeup.AfterCommit;
import io.rowqueue.internal.wakeup.NotifyAfterCommitListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.TransactionListenerProvider;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DefaultConnectionProvider;

/** Producers in transactions of jOOQ; without it they do not need jOOQ. Thread-safe. */
public final class Jooq {

  private static final String MARK = "SAVEPOINT rowqueue_caller";
  private static final String UNMARK = "RELEASE SAVEPOINT rowqueue_caller";
  private static final int NO_SUCH_SAVEPOINT = 1305;

  private Jooq() {}

  /**
   * Calls {@code work}, for example {@code connection -> producer.enqueue(connection, message)}, in
   * the transaction of {@code dsl}.
   *
   * @param dsl that of a {@code dsl.transaction(...)}, or of a connection in a transaction
   * @return what {@code work} returns
   * @throws IllegalStateException if there is no transaction
   */
  public static <T> T inTransaction(DSLContext dsl, Function<Connection, T> work) {
    checkKept(dsl);
    AfterCommit pending = AfterCommit.of(dsl.configuration());
    return dsl.connectionResult(
        connection -> work.apply(pending == null ? connection : pending.carriedBy(connection)));
  }

  /**
   * For jOOQ's {@code configuration.set(...)}: notifies workers by {@code notifier} after each
   * outermost {@code dsl.transaction(...)} in which a producer enqueued {@link #inTransaction}.
   */
  public static TransactionListenerProvider afterCommits(WorkerNotifier notifier) {
    return () -> new NotifyAfterCommitListener(notifier);
  }

  /**
   * Refuses a {@code dsl} that takes another connection for each statement. Sets a savepoint and
   * releases it with the next statement, which works only within one transaction.
   */
  private static void checkKept(DSLContext dsl) {
    // It has a fixed connection: the caller's, or that of jOOQ's transaction.
    if (dsl.configuration().connectionProvider() instanceof DefaultConnectionProvider) {
      return;
    }
    try {
      dsl.connection(
          connection -> {
            CallersTransaction.check(connection);
            execute(connection, MARK);
          });
      dsl.connection(connection -> execute(connection, UNMARK));
    } catch (DataAccessException e) {
      SQLException error = e.getCause(SQLException.class);
      if (error == null || error.getErrorCode() != NO_SUCH_SAVEPOINT) {
        throw e;
      }
      throw new IllegalStateException(
          "the DSLContext is not in a transaction: it takes a connection from its DataSource for"
              + " each statement and returns it without a commit, so nothing would be enqueued;"
              + " enqueue inside dsl.transaction(...), or pass the DataSource to enqueue in a"
              + " separate transaction",
          e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
