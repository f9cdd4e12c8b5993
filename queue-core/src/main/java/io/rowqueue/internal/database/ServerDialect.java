package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.SQLDialect;

/**
 * Distinguishes MariaDB from MySQL. MySQL's driver reports both as product "MySQL"; only the
 * version string differs, and jOOQ's MySQL dialect fails on MariaDB.
 */
public final class ServerDialect {

  /** The server behind a URL may be replaced, but not by one of the other kind. */
  private static final Map<String, SQLDialect> BY_URL = new ConcurrentHashMap<>();

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
   * Like {@link #ask}, for producers: no query if the announced version is MariaDB's, which no
   * proxy before a MySQL announces, and otherwise one for the first connection of each JDBC URL.
   *
   * @throws SQLException if the connection cannot return its version
   */
  public static SQLDialect of(Connection connection) throws SQLException {
    DatabaseMetaData server = connection.getMetaData();
    if (ofVersion(server.getDatabaseProductVersion()) == SQLDialect.MARIADB) {
      return SQLDialect.MARIADB;
    }
    String url = String.valueOf(server.getURL());
    SQLDialect known = BY_URL.get(url);
    if (known == null) {
      known = ask(connection);
      BY_URL.put(url, known);
    }
    return known;
  }

  /** The dialect for a version string, such as "11.4.5-MariaDB-log". */
  public static SQLDialect ofVersion(String version) {
    return version.toLowerCase(Locale.ROOT).contains("mariadb")
        ? SQLDialect.MARIADB
        : SQLDialect.MYSQL;
  }
}
