package io.rowqueue.worker.cli;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerPools;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A connection for each call, for commands that need few. Thread-safe. */
final class CommandLineDataSource implements DataSource {

  private final DatabaseConfig database;

  CommandLineDataSource(DatabaseConfig database) {
    this.database = database;
  }

  /** Fails clearly if the database refuses. */
  void check() {
    WorkerPools.check(database);
  }

  @Override
  public Connection getConnection() throws SQLException {
    return WorkerPools.connect(database);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return WorkerPools.connect(new DatabaseConfig(database.url(), user, password));
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException("no log writer");
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("no log writer");
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw new SQLFeatureNotSupportedException("set connectTimeout in the URL");
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("no java.util.logging");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLFeatureNotSupportedException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
