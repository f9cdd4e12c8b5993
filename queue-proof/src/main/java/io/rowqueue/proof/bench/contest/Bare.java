package io.rowqueue.proof.bench.contest;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Connections for plain JDBC, set up as well as a rival would: once, and never toggled. */
public final class Bare {

  private Bare() {}

  /** Auto-commit is off, the isolation READ COMMITTED; statements are prepared once. */
  public static Connection connect(QueueDatabase database) throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            database.url()
                + "&useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSqlLimit=8192");
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }
}
