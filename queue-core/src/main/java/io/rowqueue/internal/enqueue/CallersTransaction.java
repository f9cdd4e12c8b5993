package io.rowqueue.internal.enqueue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jooq.ConnectionCallable;
import org.jooq.ConnectionProvider;
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
   * Runs {@code work} on the connection of {@code dsl}.
   *
   * @throws IllegalStateException if {@code dsl} takes another connection for each statement
   */
  static <T> T on(DSLContext dsl, ConnectionCallable<T> work) {
    ConnectionProvider provider = dsl.configuration().connectionProvider();
    // It has one connection: somebody's own, or that of jOOQ's transaction.
    if (!(provider instanceof DefaultConnectionProvider)) {
      checkKept(dsl);
    }
    return dsl.connectionResult(work);
  }

  /** What is seen on one connection is there on the next only within one transaction. */
  private static void checkKept(DSLContext dsl) {
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

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
