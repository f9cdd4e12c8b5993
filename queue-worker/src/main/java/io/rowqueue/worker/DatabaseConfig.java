package io.rowqueue.worker;

import io.rowqueue.worker.internal.DriverParameters;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where the queue's database is and who connects to it.
 *
 * @param url a JDBC URL of MySQL or MariaDB, {@code jdbc:mysql://host:3306/schema}
 * @param user the account; may be empty if the URL names one
 * @param passwords gives its password, asked for each new connection, since a file's may change; it
 *     is never logged
 */
public record DatabaseConfig(String url, String user, Supplier<String> passwords) {

  private static final Pattern HOST_KEY = Pattern.compile("(?i)[(,]\\s*host=([\\w.:-]+)");
  private static final Pattern AFTER_ACCOUNT = Pattern.compile("@([\\w.:\\[\\]-]+)(?=,|$)");

  /** Checks that the URL is one the driver takes. */
  public DatabaseConfig {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(passwords, "passwords");
    if (!url.startsWith("jdbc:mysql:")) {
      throw new IllegalArgumentException(
          "the database URL must begin with jdbc:mysql:// (also for MariaDB), as in"
              + " jdbc:mysql://db.example.org:3306/app");
    }
    DriverParameters.check(url);
  }

  /** With a password that stays as it is; empty for none. */
  public DatabaseConfig(String url, String user, String password) {
    this(url, user, new Constant(password));
  }

  /** One that stays. Two are equal if their passwords are. */
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
   * The password as it is now; empty for none.
   *
   * @throws java.io.UncheckedIOException if it cannot be read
   */
  public String password() {
    return passwords.get();
  }

  /**
   * Hosts and schema without user, password or parameters, for logs; whatever could be part of a
   * password is left out, even where the driver would read the URL differently.
   */
  public String location() {
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

  /** The location only. */
  @Override
  public String toString() {
    return "DatabaseConfig[" + location() + "]";
  }
}
