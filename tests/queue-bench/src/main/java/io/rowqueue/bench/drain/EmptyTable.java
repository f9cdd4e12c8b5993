package io.rowqueue.bench.drain;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells when a table has no rows any more, over one connection and not often: an answer passes all
 * rows that are deleted and not yet purged.
 */
public final class EmptyTable {

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int LONGEST_MINUTES = 10;

  private EmptyTable() {}

  /**
   * Returns as soon as no row is left in {@code table}.
   *
   * @throws IllegalStateException if that takes minutes
   */
  public static void await(QueueDatabase database, String table) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      while (hasRow(statement, table)) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("rows stay in " + table);
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  private static boolean hasRow(Statement statement, String table) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT 1 FROM " + table + " LIMIT 1")) {
      return row.next();
    }
  }
}
