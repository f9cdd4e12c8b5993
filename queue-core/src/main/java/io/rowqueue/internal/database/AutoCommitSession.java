package io.rowqueue.internal.database;

import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.ServerSession;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Where a statement on a connection commits by itself. MySQL's driver knows this without a query:
 * each reply of the server says whether a transaction is open, however it began.
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
