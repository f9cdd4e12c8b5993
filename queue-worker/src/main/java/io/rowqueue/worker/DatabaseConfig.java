package io.rowqueue.worker;

import io.rowqueue.worker.internal.DriverParameters;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The queue's database: a URL and the account that connects to it, or a {@link #of data source} of
 * the application.
 *
 * @param url a JDBC URL of MySQL or MariaDB, {@code jdbc:mysql://host:3306/schema}; empty with a
 *     data source
 * @param user the account; may be empty if the URL names one
 * @param passwords supplies the password for each new connection, since a file may change; it is
 *     never logged
 * @param dataSource gives every connection instead; null with a URL
 */
public record DatabaseConfig(
    String url, String user, Supplier<String> passwords, @Nullable DataSource dataSource) {

  private static final Pattern HOST_KEY = Pattern.compile("(?i)[(,]\\s*host=([\\w.:-]+)");
  private static final Pattern AFTER_ACCOUNT = Pattern.compile("@([\\w.:\\[\\]-]+)(?=,|$)");

  /** Validates the URL. */
  public DatabaseConfig {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(passwords, "passwords");
    if (dataSource == null) {
      check(url);
    } else if (!url.isEmpty()) {
      throw new IllegalArgumentException("a database has a URL or a data source, not both");
    }
  }

  private static void check(String url) {
    if (!url.startsWith("jdbc:mysql:")) {
      throw new IllegalArgumentException(
          "the database URL must begin with jdbc:mysql:// (also for MariaDB), as in"
              + " jdbc:mysql://db.example.org:3306/app");
    }
    DriverParameters.check(url);
  }

  /** Creates a configuration with a URL. */
  public DatabaseConfig(String url, String user, Supplier<String> passwords) {
    this(url, user, passwords, null);
  }

  /**
   * Creates a configuration with a data source of the application, over MySQL's or MariaDB's
   * driver. Account, TLS, failover and the change of passwords are then the data source's.
   *
   * <p>The worker borrows a connection for each transaction, and two for as long as it runs. A
   * borrowed connection has READ COMMITTED and RowQueue's session settings, and is returned with
   * those that it had, which costs two statements, or four if the pool has auto-commit on.
   */
  public static DatabaseConfig of(DataSource dataSource) {
    return new DatabaseConfig(
        "", "", new Constant(""), Objects.requireNonNull(dataSource, "dataSource"));
  }

  /** Creates a configuration with a fixed password; empty for none. */
  public DatabaseConfig(String url, String user, String password) {
    this(url, user, new Constant(password));
  }

  /** A fixed password. Two are equal if their passwords are. */
  private record Constant(String password) implements Supplier<String> {

    Constant {
      Objects.requireNonNull(password, "password");
    }

    @Override
    public String get() {
      return password;
    }

    @Override
    public String toString() {
      return "a password";
    }
  }

  /**
   * Returns the current password; empty for none.
   *
   * @throws java.io.UncheckedIOException if it cannot be read
   */
  public String password() {
    return passwords.get();
  }

  /**
   * Returns hosts and schema without user, password or parameters, for logs. Omits every part that
   * could belong to a password, even where the driver would parse the URL differently.
   */
  public String location() {
    if (dataSource != null) {
      return "of the data source";
    }
    String bare = url.substring("jdbc:mysql:".length()).replaceFirst("[?#].*$", "");
    int slashes = bare.indexOf("//");
    int path = bare.lastIndexOf('/');
    boolean cutInsideAccount = url.contains("@") && !bare.contains("@");
    if (slashes < 0 || path <= slashes + 1 || cutInsideAccount) {
      return url.contains("@") || bare.contains("(") ? "(hidden)" : bare;
    }
    String hosts = bare.substring(slashes + 2, path);
    return bare.substring(0, slashes + 2) + withoutAccounts(hosts) + bare.substring(path);
  }

  private static String withoutAccounts(String hosts) {
    if (hosts.contains("(")) {
      return found(HOST_KEY, hosts);
    }
    return hosts.contains("@") ? found(AFTER_ACCOUNT, hosts) : hosts;
  }

  private static String found(Pattern pattern, String hosts) {
    String names =
        pattern
            .matcher(hosts)
            .results()
            .map(host -> host.group(1))
            .collect(Collectors.joining(","));
    return names.isEmpty() ? "(hidden)" : names;
  }

  /** Returns the location only. */
  @Override
  public String toString() {
    return "DatabaseConfig[" + location() + "]";
  }
}
