package io.rowqueue.internal.database;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Opens a new connection for each call, for a pool on top of it or a command that needs one or two.
 * As thread-safe as {@code opening}.
 *
 * @param opening opens one
 */
public record FreshConnections(Opening opening) implements DataSource {

  private static final int CLOSING_SECONDS = 5;

  /** Opens a connection. */
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
    throw new SQLFeatureNotSupportedException(
        "the account is fixed when this data source is created");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLFeatureNotSupportedException("this is not a " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw new SQLFeatureNotSupportedException("this data source does not log");
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("this data source does not log");
  }

  /**
   * Has no effect: the driver's connectTimeout applies, and pools that set this value would
   * complain about an exception.
   */
  @Override
  public void setLoginTimeout(int seconds) {}

  /** How long a closing pool waits for a connection that is being opened. */
  @Override
  public int getLoginTimeout() {
    return CLOSING_SECONDS;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  /** Only the type, because {@code opening} may contain a password. */
  @Override
  public String toString() {
    return "FreshConnections";
  }
}
