package io.rowqueue.internal.database;

import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.ServerSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Where a statement on a connection commits by itself. MySQL's driver knows this without a query:
 * each reply of the server says whether a transaction is open, however it began.
 *
 * <p>A server with {@code autocommit = 0} begins transactions in sessions that a driver with {@code
 * useLocalSessionState} takes for ones in auto-commit mode. MySQL itself reports that mode as on in
 * them, until it is set for the first time.
 */
public record AutoCommitSession(
    @Nullable String host, @Nullable String user, @Nullable String schema) {

  private static final boolean HAS_DRIVER = hasDriver();

  /** The session of {@code connection}; null if it is in a transaction, or if that is not known. */
  public static @Nullable AutoCommitSession of(Connection connection) throws SQLException {
    JdbcConnection driver = connection.getAutoCommit() ? driver(connection) : null;
    if (driver == null) {
      return null;
    }
    ServerSession server = driver.getSession().getServerSession();
    return server.isAutocommit() && !server.inTransactionOnServer()
        ? new AutoCommitSession(driver.getHostPortPair(), driver.getUser(), driver.getDatabase())
        : null;
  }

  /**
   * Runs {@code reads}, and ends the transaction that they have begun on {@code connection}: a
   * pool's next user would read its snapshot. For a connection on which nobody has a transaction.
   */
  public static <T> T read(Connection connection, CheckedFunction<Connection, T> reads)
      throws SQLException {
    return ending(
        connection,
        used -> readInAutoCommit(used, reads),
        used -> {
          if (!used.getAutoCommit()) {
            used.rollback();
          }
        });
  }

  /** Like {@link #read}, but leaves a transaction that the caller may have to its owner. */
  public static <T> T readInAutoCommit(Connection connection, CheckedFunction<Connection, T> reads)
      throws SQLException {
    boolean isBegun = !connection.getAutoCommit() || isInTransaction(connection);
    return ending(
        connection,
        reads,
        used -> {
          if (!isBegun) {
            commit(used);
          }
        });
  }

  /** A lost connection's own failure says more than that it cannot end a transaction. */
  private static <T> T ending(Connection connection, CheckedFunction<Connection, T> reads, End end)
      throws SQLException {
    T result;
    try {
      result = reads.apply(connection);
    } catch (SQLException | RuntimeException | Error e) {
      try {
        end.of(connection);
      } catch (SQLException | RuntimeException other) {
        e.addSuppressed(other);
      }
      throw e;
    }
    end.of(connection);
    return result;
  }

  private interface End {
    void of(Connection connection) throws SQLException;
  }

  /**
   * Commits what a statement in auto-commit mode has written, if the server has not. The connection
   * was in no transaction before. Sends nothing if the server has.
   */
  public static void commit(Connection connection) throws SQLException {
    if (isInTransaction(connection)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET autocommit = 1");
      }
    }
  }

  /** False if the driver does not tell. */
  static boolean isInTransaction(Connection connection) throws SQLException {
    JdbcConnection driver = driver(connection);
    return driver != null && driver.getSession().getServerSession().inTransactionOnServer();
  }

  private static @Nullable JdbcConnection driver(Connection connection) throws SQLException {
    return HAS_DRIVER && connection.isWrapperFor(JdbcConnection.class)
        ? connection.unwrap(JdbcConnection.class)
        : null;
  }

  private static boolean hasDriver() {
    try {
      Class.forName(
          "com.mysql.cj.jdbc.JdbcConnection", false, AutoCommitSession.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
