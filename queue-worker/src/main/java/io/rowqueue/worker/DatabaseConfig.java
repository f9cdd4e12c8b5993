package io.rowqueue.worker;

import java.util.Objects;

/**
 * Where the queue's database is and who connects to it.
 *
 * @param url a JDBC URL of MySQL or MariaDB, {@code jdbc:mysql://host:3306/schema}
 * @param user the account; may be empty if the URL names one
 * @param password its password; never logged
 */
public record DatabaseConfig(String url, String user, String password) {

  /** Checks that the URL is one the driver takes. */
  public DatabaseConfig {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(password, "password");
    if (!url.startsWith("jdbc:mysql:")) {
      throw new IllegalArgumentException(
          "the database URL must begin with jdbc:mysql:// (for MariaDB, too), as in"
              + " jdbc:mysql://db.example.org:3306/app");
    }
  }

  /** Host and schema without user, password or parameters, for logs. */
  public String location() {
    String bare = url.substring("jdbc:mysql:".length()).replaceFirst("\\?.*$", "");
    return bare.replaceFirst("//[^/@]*@", "//");
  }

  /** The location only. */
  @Override
  public String toString() {
    return "DatabaseConfig[" + location() + "]";
  }
}
