package io.rowqueue.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Connections for plain JDBC, set up as well as a rival would: once, and never toggled. */
final class Bare {

  private static final String PREPARED =
      "&useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSqlLimit=8192";

  private Bare() {}

  /** Auto-commit is off, the isolation READ COMMITTED; statements are prepared once. */
  public static Connection connect(QueueDatabase database) throws SQLException {
    Connection connection = DriverManager.getConnection(database.url() + PREPARED);
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  /** A pool of so many connections, with auto-commit and nothing else set. */
  static HikariDataSource plainPool(String url, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  /** Those of {@link #connect} from a pool, as a team has one, of {@code threads} connections. */
  public static HikariDataSource pool(QueueDatabase database, int threads) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url() + PREPARED);
    config.setAutoCommit(false);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setMaximumPoolSize(threads);
    config.setMinimumIdle(threads);
    return new HikariDataSource(config);
  }
}
