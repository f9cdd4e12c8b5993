package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Session settings that would change the effect or the result of RowQueue's own statements. A
 * server may give new sessions other values than its defaults ({@code SET GLOBAL}), so each
 * connection that RowQueue opens sets them here, in one statement. Each server ignores the other
 * one's version comment.
 */
public final class SessionSettings {

  /** Ends each SELECT of several rows on a connection that the application has configured. */
  public static final String ALL_ROWS = " LIMIT 18446744073709551615";

  private static final String SET =
      "SET SESSION"
          // Limits the rows that a SELECT returns.
          + " sql_select_limit = 18446744073709551615, sql_big_selects = 1,"
          // Refuses an UPDATE or DELETE without a key.
          + " sql_safe_updates = 0,"
          // Makes `id IS NULL` find the row inserted last.
          + " sql_auto_is_null = 0,"
          // COMMIT would start another transaction, or end the connection.
          + " completion_type = 'NO_CHAIN'"
          // Would end statements, and transactions that wait for their handler.
          + " /*!80000 , max_execution_time = 0, transaction_read_only = 0 */"
          + " /*M! , max_statement_time = 0, idle_transaction_timeout = 0,"
          + " idle_readonly_transaction_timeout = 0, idle_write_transaction_timeout = 0,"
          + " check_constraint_checks = 1, tx_read_only = 0 */";

  private SessionSettings() {}

  /**
   * Checks the settings of a connection from the application's own pool that is used to read lists.
   *
   * @throws IllegalStateException if a setting limits the rows returned, or refuses changes
   */
  static void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@sql_select_limit < 18446744073709551615, @@sql_safe_updates")) {
      row.next();
      if (row.getBoolean(1) || row.getBoolean(2)) {
        throw new IllegalStateException(
            "%s is set on the connections of this data source, and changes the effect of RowQueue's statements; configure the data source with sessionVariables=sql_select_limit=18446744073709551615,sql_safe_updates=0, or reset the server's global value back"
                .formatted(row.getBoolean(1) ? "sql_select_limit" : "sql_safe_updates"));
      }
    }
  }

  /** Applies them to {@code connection}. */
  public static void apply(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(SET);
    }
  }
}
