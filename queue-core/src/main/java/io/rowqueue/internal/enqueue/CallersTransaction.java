package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.CheckedFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

/**
 * Verifies that a producer writes in an open transaction of its caller. Elsewhere its rows would be
 * committed at once, or never.
 */
public final class CallersTransaction {

  private CallersTransaction() {}

  /**
   * Refuses a connection in auto-commit mode.
   *
   * @throws IllegalStateException if {@code connection} is in auto-commit mode
   */
  public static void check(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode, so the messages would not be part of your"
              + " transaction; call setAutoCommit(false) first, or pass a DataSource to enqueue in"
              + " a separate transaction");
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
}
