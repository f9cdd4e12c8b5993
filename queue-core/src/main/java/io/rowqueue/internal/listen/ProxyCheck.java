package io.rowqueue.internal.listen;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A server tells a client its connection's id twice: in its greeting, which a proxy writes itself,
 * and in the answer to a query, which it passes on.
 */
final class ProxyCheck {

  private ProxyCheck() {}

  /**
   * Whether the two differ.
   *
   * @param requested what the server has answered to {@code SELECT CONNECTION_ID()}
   */
  static boolean isBehindProxy(Connection connection, long requested) throws SQLException {
    try {
      return connection.isWrapperFor(JdbcConnection.class)
          && connection.unwrap(JdbcConnection.class).getId() != requested;
    } catch (NoClassDefFoundError e) {
      // The team connects with another driver, which does not tell.
      return false;
    }
  }
}
