package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.CheckedFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DefaultConnectionProvider;

/**
 * Verifies that a producer writes in an open transaction of its caller. Elsewhere its rows would be
 * committed at once, or never.
 */
final class CallersTransaction {

  private static final String MARK = "SAVEPOINT rowqueue_caller";
  private static final String UNMARK = "RELEASE SAVEPOINT rowqueue_caller";
  private static final int NO_SUCH_SAVEPOINT = 1305;

  private CallersTransaction() {}

  /**
   * Refuses a connection in auto-commit mode.
   *
   * @throws IllegalStateException if {@code connection} is in auto-commit mode
   */
  static void check(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode, so the messages would not be part of your"
              + " transaction; call setAutoCommit(false) first, or pass a DataSource to enqueue in"
              + " a separate transaction");
    }
  }

  /**
   * Refuses a {@code dsl} that takes another connection for each statement. Sets a savepoint and
   * releases it with the next statement, which works only within one transaction.
   *
   * @throws IllegalStateException if {@code dsl} is not in a transaction
   */
  static void checkKept(DSLContext dsl) {
    // It has a fixed connection: the caller's, or that of jOOQ's transaction.
    if (dsl.configuration().connectionProvider() instanceof DefaultConnectionProvider) {
      return;
    }
    dsl.connection(
        connection -> {
          check(connection);
          execute(connection, MARK);
        });
    try {
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

  /**
   * Runs {@code work} behind a savepoint, so that a failure undoes all of its statements. A single
   * statement needs none: the server undoes a failed statement.
   *
   * @throws SQLException if {@code work} fails; its changes are rolled back
   */
  static <T> T allOrNone(Connection connection, CheckedFunction<Connection, T> work)
      throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      T result = work.apply(connection);
      connection.releaseSavepoint(before);
      return result;
    } catch (SQLException | RuntimeException e) {
      try {
        connection.rollback(before);
      } catch (SQLException rollback) {
        e.addSuppressed(rollback);
      }
      throw e;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
