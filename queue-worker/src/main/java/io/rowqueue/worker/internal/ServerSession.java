package io.rowqueue.worker.internal;

import com.mysql.cj.jdbc.JdbcConnection;
import io.rowqueue.internal.database.Jdbc;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection as its server knows it.
 *
 * @param server distinguishes the servers that one data source may lead to
 * @param id the connection's id on that server
 */
public record ServerSession(String server, long id) {

  /** A connection whose session was read before, so that it is known while a statement runs. */
  interface Known {

    ServerSession session();
  }

  /** Returns the session of {@code connection}. Sends a query unless the driver is MySQL's. */
  public static ServerSession of(Connection connection) throws SQLException {
    if (connection instanceof Known known) {
      return known.session();
    }
    if (connection.isWrapperFor(JdbcConnection.class)) {
      JdbcConnection mysql = connection.unwrap(JdbcConnection.class);
      return new ServerSession(mysql.getHostPortPair(), mysql.getId());
    }
    return Jdbc.rows(
            connection,
            "SELECT CONCAT(@@hostname, ':', @@port), CONNECTION_ID()",
            row -> new ServerSession(row.getString(1), row.getLong(2)))
        .get(0);
  }
}
