package io.rowqueue.testkit;

import io.rowqueue.internal.database.WritableHosts;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens a new physical connection each time, to the writable host if the URL names several, so that
 * no test sees another test's session variables.
 *
 * @param url includes user and password
 * @param clock the sessions' time
 */
record UrlDataSource(String url, TestClock clock) implements DataSource {

  /** Uses the server's clock. */
  UrlDataSource(String url) {
    this(url, new TestClock());
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = new WritableHosts(url).open(new Properties());
    try {
      clock.apply(connection);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("this data source writes no log");
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
    throw new SQLFeatureNotSupportedException("this data source does not use java.util.logging");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLException("this data source wraps no " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
