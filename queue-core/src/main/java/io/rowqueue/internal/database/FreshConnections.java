package io.rowqueue.internal.database;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Opens a new connection each time, as a pool underneath needs it, or a command that needs one or
 * two. As thread-safe as what opens them.
 *
 * @param opening opens one
 */
public record FreshConnections(Opening opening) implements DataSource {

  private static final int CLOSING_SECONDS = 5;

  /** How a connection is opened. */
  @FunctionalInterface
  public interface Opening {

    /** A new connection, which the caller closes. */
    Connection open() throws SQLException;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return opening.open();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the account was given before, once for all");
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

  /**
   * Without effect: the driver's connectTimeout bounds it, and pools that set it would complain.
   */
  @Override
  public void setLoginTimeout(int seconds) {}

  /** How long a pool that closes waits for a connection that is under way. */
  @Override
  public int getLoginTimeout() {
    return CLOSING_SECONDS;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  /** Its kind only: what opens connections knows a password. */
  @Override
  public String toString() {
    return "FreshConnections";
  }
}
