package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.jooq.SQLDialect;

/**
 * Distinguishes MariaDB from MySQL. MySQL's driver reports both as product "MySQL"; only the
 * version string differs, and jOOQ's MySQL dialect fails on MariaDB.
 */
public final class ServerDialect {

  private ServerDialect() {}

  /**
   * The dialect of the server at the other end, even if a proxy announces a version of its own. One
   * query; MySQL ignores {@code /*M!} as a comment.
   */
  public static SQLDialect ask(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT 0 /*M! + 1 */")) {
      return row.next() && row.getInt(1) == 1 ? SQLDialect.MARIADB : SQLDialect.MYSQL;
    }
  }

  /**
   * The dialect of the version that was announced when {@code connection} was opened; no query. For
   * producers.
   *
   * @throws SQLException if the connection cannot return its version
   */
  public static SQLDialect of(Connection connection) throws SQLException {
    return ofVersion(connection.getMetaData().getDatabaseProductVersion());
  }

  /** The dialect for a version string, such as "11.4.5-MariaDB-log". */
  public static SQLDialect ofVersion(String version) {
    return version.toLowerCase(Locale.ROOT).contains("mariadb")
        ? SQLDialect.MARIADB
        : SQLDialect.MYSQL;
  }
}
