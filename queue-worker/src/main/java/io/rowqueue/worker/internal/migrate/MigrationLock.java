package io.rowqueue.worker.internal.migrate;

import io.rowqueue.worker.Migrator.MigrationException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serializes the migrations of a schema with a named lock (GET_LOCK), which ends with its
 * connection. Flyway's own lock starts after its check for the history table, so one of two
 * concurrent migrations would fail.
 */
public final class MigrationLock implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(MigrationLock.class);

  private static final int LONGEST_WAIT_SECONDS = 120;

  private final Connection connection;
  private final String schema;

  private MigrationLock(Connection connection, String schema) {
    this.connection = connection;
    this.schema = schema;
  }

  /**
   * Waits for the lock of the connection's schema.
   *
   * @throws MigrationException if the connection has no schema, or another process holds the lock
   */
  public static MigrationLock acquire(Connection connection) throws SQLException {
    String schema = connection.getCatalog();
    if (schema == null || schema.isEmpty()) {
      throw new MigrationException(
          "the database URL names no schema; add one, as in jdbc:mysql://db.example.org:3306/app",
          null);
    }
    if (ask(connection, "SELECT GET_LOCK(?, " + LONGEST_WAIT_SECONDS + ")", schema) != 1) {
      throw new MigrationException(
          "another process has been migrating schema %s for more than %d s; see SHOW PROCESSLIST, and retry when it has ended"
              .formatted(schema, LONGEST_WAIT_SECONDS),
          null);
    }
    return new MigrationLock(connection, schema);
  }

  public String schema() {
    return schema;
  }

  /** Never fails: a lost connection has released its lock. */
  @Override
  public void close() {
    try {
      ask(connection, "SELECT RELEASE_LOCK(?)", schema);
    } catch (SQLException e) {
      log.debug("the migration's lock was lost with its connection", e);
    }
  }

  private static int ask(Connection connection, String sql, String schema) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name(schema));
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  /** Named locks are server-wide, and limited to 64 characters. */
  private static String name(String schema) {
    return "rowqueue-migrate-" + Integer.toHexString(schema.toLowerCase(Locale.ROOT).hashCode());
  }
}
