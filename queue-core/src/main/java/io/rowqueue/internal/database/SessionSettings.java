package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Settings of a session that change what RowQueue's own statements do or return. A server may give
 * new sessions other values than its defaults ({@code SET GLOBAL}); each connection that RowQueue
 * opens sets them here, in one statement. Each server skips the other one's comment.
 */
public final class SessionSettings {

  /** What a SELECT of several rows ends in, on a connection that a producer has set up. */
  public static final String ALL_ROWS = " LIMIT 18446744073709551615";

  private static final String SET =
      "SET SESSION"
          // Rows that a SELECT returns.
          + " sql_select_limit = 18446744073709551615, sql_big_selects = 1,"
          // Refuses an UPDATE or DELETE without a key.
          + " sql_safe_updates = 0,"
          // Makes `id IS NULL` find the row inserted last.
          + " sql_auto_is_null = 0,"
          // COMMIT begins another transaction, or ends the connection.
          + " completion_type = 'NO_CHAIN'"
          // Ends statements, and transactions that wait for their handler.
          + " /*!80000 , max_execution_time = 0, transaction_read_only = 0 */"
          + " /*M! , max_statement_time = 0, idle_transaction_timeout = 0,"
          + " idle_readonly_transaction_timeout = 0, idle_write_transaction_timeout = 0,"
          + " check_constraint_checks = 1, tx_read_only = 0 */";

  private SessionSettings() {}

  /**
   * Checks those of a connection of the application's own pool, on which lists are read.
   *
   * @throws IllegalStateException if it returns some rows only, or refuses some changes
   */
  static void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@sql_select_limit < 18446744073709551615, @@sql_safe_updates")) {
      row.next();
      if (row.getBoolean(1) || row.getBoolean(2)) {
        throw new IllegalStateException(
            "%s is set on the connections of this data source, and changes what RowQueue's statements do; give the data source sessionVariables=sql_select_limit=18446744073709551615,sql_safe_updates=0 or set the server's global value back"
                .formatted(row.getBoolean(1) ? "sql_select_limit" : "sql_safe_updates"));
      }
    }
  }

  /** Sets them on {@code connection}. */
  public static void apply(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(SET);
    }
  }
}
