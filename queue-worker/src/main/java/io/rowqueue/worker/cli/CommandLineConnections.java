package io.rowqueue.worker.cli;

import io.rowqueue.database.FreshConnections;
import io.rowqueue.database.WritableHosts;
import io.rowqueue.worker.DatabaseConfig;
import java.time.Duration;
import java.util.Locale;
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
  private final Properties properties;
  private final DataSource dataSource;

  /**
   * For {@code database}.
   *
   * @param longestAnswer how long a statement may take; zero for as long as it wants
   */
  CommandLineConnections(DatabaseConfig database, Duration longestAnswer) {
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
    WritableHosts hosts = new WritableHosts(database.url());
    this.dataSource = new FreshConnections(() -> hosts.connect(properties));
  }

  DataSource dataSource() {
    return dataSource;
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

  /** Where it leads, without the account. */
  @Override
  public String toString() {
    return "CommandLineConnections[" + database.location() + "]";
  }
}
