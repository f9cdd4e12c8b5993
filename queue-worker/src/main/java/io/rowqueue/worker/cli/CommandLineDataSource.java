package io.rowqueue.worker.cli;

import io.rowqueue.worker.DatabaseConfig;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Opens a connection each time: a command needs one or two, and a pool would only start threads.
 * User, password and defaults go to the driver as properties, so that no URL with a password is
 * ever built. Thread-safe.
 */
final class CommandLineDataSource implements DataSource {

  private static final Map<String, String> DEFAULTS =
      Map.of("connectTimeout", "5000", "tcpKeepAlive", "true", "connectionTimeZone", "UTC");

  private final DatabaseConfig database;
  private final Properties properties;

  /**
   * For {@code database}.
   *
   * @param longestAnswer how long a statement may take; zero for as long as it wants
   */
  CommandLineDataSource(DatabaseConfig database, Duration longestAnswer) {
    this.database = database;
    this.properties = new Properties();
    DEFAULTS.forEach(this::putUnlessInUrl);
    putUnlessInUrl("socketTimeout", Long.toString(longestAnswer.toMillis()));
    if (!database.user().isEmpty()) {
      properties.setProperty("user", database.user());
    }
    if (!database.password().isEmpty()) {
      properties.setProperty("password", database.password());
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return DriverManager.getConnection(database.url(), properties);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the account is the one of the command line");
  }

  /** What the driver is given besides the URL, without the password. */
  Properties settings() {
    Properties settings = new Properties();
    settings.putAll(properties);
    settings.remove("password");
    return settings;
  }

  /** The driver takes names in any case, so they are compared so. */
  private void putUnlessInUrl(String name, String value) {
    String url = database.url().toLowerCase(Locale.ROOT);
    String key = name.toLowerCase(Locale.ROOT) + "=";
    if (!url.contains("?" + key) && !url.contains("&" + key)) {
      properties.setProperty(name, value);
    }
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
    throw new SQLFeatureNotSupportedException("this data source logs nothing");
  }

  /** Where it leads, without the account. */
  @Override
  public String toString() {
    return "CommandLineDataSource[" + database.location() + "]";
  }
}
