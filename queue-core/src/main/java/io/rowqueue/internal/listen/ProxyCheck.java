package io.rowqueue.internal.listen;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Detects a proxy. A server sends a client its connection id twice: in its greeting, which a proxy
 * writes itself, and in the answer to a query, which a proxy passes on.
 */
final class ProxyCheck {

  private ProxyCheck() {}

  /**
   * Whether the two ids differ.
   *
   * @param requested the server's answer to {@code SELECT CONNECTION_ID()}
   */
  static boolean isBehindProxy(Connection connection, long requested) throws SQLException {
    try {
      return connection.isWrapperFor(JdbcConnection.class)
          && connection.unwrap(JdbcConnection.class).getId() != requested;
    } catch (NoClassDefFoundError e) {
      // The application uses another driver, which does not expose the id.
      return false;
    }
  }
}
