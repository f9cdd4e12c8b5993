package io.rowqueue.tests;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Isolation levels of a test's own connections. */
public final class Isolation {

  private Isolation() {}

  /**
   * Sets {@code level}; in REPEATABLE READ also without MariaDB's check of writes against the
   * snapshot, which is its default from 11.6.2 on and rolls back (1020) what these tests compare.
   */
  public static void set(Connection connection, int level) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_notes = 1 /*M! , innodb_snapshot_isolation = 0 */");
    }
    connection.setTransactionIsolation(level);
  }
}
