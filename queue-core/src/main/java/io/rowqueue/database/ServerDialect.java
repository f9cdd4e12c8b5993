package io.rowqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import org.jooq.SQLDialect;

/**
 * Tells MariaDB from MySQL. MySQL's driver calls both "MySQL" in the product's name; only the
 * version string differs, and jOOQ's MySQL dialect fails on MariaDB.
 */
public final class ServerDialect {

  private ServerDialect() {}

  /**
   * The dialect of the server at the other end.
   *
   * @throws SQLException if the connection cannot tell
   */
  public static SQLDialect of(Connection connection) throws SQLException {
    return ofVersion(connection.getMetaData().getDatabaseProductVersion());
  }

  /** The dialect of a server that calls itself {@code version}, such as "11.4.5-MariaDB-log". */
  public static SQLDialect ofVersion(String version) {
    return version.toLowerCase(Locale.ROOT).contains("mariadb")
        ? SQLDialect.MARIADB
        : SQLDialect.MYSQL;
  }
}
