package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.DriverParameters;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;

/**
 * Opens a connection each time: a command needs one or two, and a pool would only start threads.
 * User, password and defaults go to the driver as properties, so that no URL with a password is
 * ever built. Thread-safe.
 */
final class CommandLineConnections {

  private static final Map<String, String> DEFAULTS =
      Map.of("connectTimeout", "5000", "tcpKeepAlive", "true", "connectionTimeZone", "UTC");

  private final DatabaseConfig database;
  private final Map<String, String> driver;
  private final DataSource dataSource;

  /**
   * For {@code database}.
   *
   * @param longestAnswer how long a statement may take; zero for as long as it wants
   */
  CommandLineConnections(DatabaseConfig database, Duration longestAnswer) {
    this.database = database;
    this.driver = new HashMap<>(DEFAULTS);
    driver.put("socketTimeout", Long.toString(longestAnswer.toMillis()));
    WritableHosts hosts = new WritableHosts(database.url());
    this.dataSource =
        new FreshConnections(() -> hosts.connect(DriverParameters.of(database, driver)));
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** The properties that the driver gets in addition to the URL, without the password. */
  Properties settings() {
    Properties settings = DriverParameters.of(database, driver);
    settings.remove("password");
    return settings;
  }

  /** Where it leads, without the account. */
  @Override
  public String toString() {
    return "CommandLineConnections[" + database.location() + "]";
  }
}
