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
 * Makes sure that a producer was given a transaction that its caller ends: what is written
 * elsewhere is committed at once, or never.
 */
final class CallersTransaction {

  private static final String MARK = "SAVEPOINT rowqueue_caller";
  private static final String UNMARK = "RELEASE SAVEPOINT rowqueue_caller";
  private static final int NO_SUCH_SAVEPOINT = 1305;

  private CallersTransaction() {}

  /**
   * Refuses a connection that commits by itself.
   *
   * @throws IllegalStateException if it does
   */
  static void check(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection commits by itself, so what is enqueued would not share your transaction's"
              + " fate; call setAutoCommit(false) first, or pass a DataSource for a transaction of"
              + " its own");
    }
  }

  /**
   * Refuses a {@code dsl} that takes another connection for each statement: what is seen on one is
   * there on the next only within one transaction.
   *
   * @throws IllegalStateException if it does
   */
  static void checkKept(DSLContext dsl) {
    // It has one connection: somebody's own, or that of jOOQ's transaction.
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
          "the DSLContext is in no transaction: it takes a connection of its DataSource for each"
              + " statement and gives it back uncommitted, so nothing would be enqueued; enqueue"
              + " inside dsl.transaction(...), or pass the DataSource for a transaction of its own",
          e);
    }
  }

  /**
   * Runs {@code work}. A statement that fails undoes itself; several need a savepoint for that.
   *
   * @throws SQLException if it does; what it wrote is undone
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
