package io.rowqueue.worker;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * What the pools connect through. A pool that is given a URL logs it at DEBUG, with the password of
 * {@code user:password@host}; this one it can log. Thread-safe.
 */
final class DriverSource implements DataSource {

  private final DatabaseConfig database;
  private final Properties properties;

  DriverSource(DatabaseConfig database, Properties properties) {
    this.database = database;
    this.properties = properties;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return DriverManager.getConnection(database.url(), properties);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the account is the configuration's");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLFeatureNotSupportedException("this is no " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  /** Without effect: the driver's connectTimeout bounds it. */
  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  /** Where it leads, without the account. */
  @Override
  public String toString() {
    return "DriverSource[" + database.location() + "]";
  }
}
