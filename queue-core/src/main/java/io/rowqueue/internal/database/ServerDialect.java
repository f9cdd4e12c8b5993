package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/**
 * Distinguishes MariaDB from MySQL. MySQL's driver reports both as product "MySQL"; only the
 * version string differs, and jOOQ's MySQL dialect fails on MariaDB.
 */
public enum ServerDialect {
  MYSQL("@@server_uuid", "performance_schema"),
  /** It has no server_uuid. */
  MARIADB("CONCAT(@@hostname, ':', @@port)", "information_schema");

  /** The server behind a URL may be replaced, but not by one of the other kind. */
  private static final Map<String, ServerDialect> BY_URL = new ConcurrentHashMap<>();

  private final String identity;
  private final String statusSchema;

  ServerDialect(String identity, String statusSchema) {
    this.identity = identity;
    this.statusSchema = statusSchema;
  }

  /** An SQL expression that distinguishes this server from others. */
  public String identity() {
    return identity;
  }

  /**
   * The schema of the tables {@code processlist} and {@code global_status}. MySQL's
   * information_schema has a process list, too, but reading it blocks every new connection.
   */
  public String statusSchema() {
    return statusSchema;
  }

  /** That of the server of {@code dsl}. */
  public static ServerDialect in(DSLContext dsl) {
    return dsl.dialect() == SQLDialect.MARIADB ? MARIADB : MYSQL;
  }

  /** As jOOQ names it. */
  public SQLDialect jooq() {
    return this == MARIADB ? SQLDialect.MARIADB : SQLDialect.MYSQL;
  }

  /**
   * The dialect of the server at the other end, even if a proxy announces a version of its own. One
   * query; MySQL ignores {@code /*M!} as a comment.
   */
  public static ServerDialect ask(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT 0 /*M! + 1 */")) {
      return row.next() && row.getInt(1) == 1 ? MARIADB : MYSQL;
    }
  }

  /**
   * Like {@link #ask}, for producers: no query if the announced version is MariaDB's, which no
   * proxy before a MySQL announces, and otherwise one for the first connection of each JDBC URL.
   *
   * @throws SQLException if the connection cannot return its version
   */
  public static ServerDialect of(Connection connection) throws SQLException {
    DatabaseMetaData server = connection.getMetaData();
    if (ofVersion(server.getDatabaseProductVersion()) == MARIADB) {
      return MARIADB;
    }
    String url = String.valueOf(server.getURL());
    ServerDialect known = BY_URL.get(url);
    if (known == null) {
      known = ask(connection);
      BY_URL.put(url, known);
    }
    return known;
  }

  /** The dialect for a version string, such as "11.4.5-MariaDB-log". */
  public static ServerDialect ofVersion(String version) {
    return version.toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : MYSQL;
  }
}
