package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.LongStream;
import org.jooq.SQLDialect;

/**
 * The ids that a server gave to the rows of one INSERT. The server returns only the first; the
 * others follow in steps of {@code auto_increment_increment}. Drivers that return all ids compute
 * them from a step that they read when they connected, or that another connection read. The step
 * changes when a node joins or leaves a cluster, or when the session sets it. This class uses the
 * step of the INSERT itself.
 */
public final class GeneratedIds {

  /**
   * Galera may change the session's step between two statements, so the INSERT itself stores it.
   */
  private static final String REMEMBERING =
      "IF(@rowqueue_step := @@auto_increment_increment, ?, NULL)";

  private static final String REMEMBERED = "SELECT @rowqueue_step";

  /** On MySQL a session's step changes only if the session sets it. */
  private static final String CURRENT = "SELECT @@auto_increment_increment";

  private GeneratedIds() {}

  /**
   * The first parameter of an INSERT of {@code rows} rows, whose value must not be NULL; all others
   * are plain question marks.
   */
  public static String firstParameter(Connection connection, int rows) throws SQLException {
    return rows > 1 && isMariaDb(connection) ? REMEMBERING : "?";
  }

  /**
   * The ids of the {@code rows} that {@code insert} has just inserted, in their order. It was
   * prepared on {@code connection} with {@link Statement#RETURN_GENERATED_KEYS}.
   */
  public static List<Long> of(Connection connection, PreparedStatement insert, int rows)
      throws SQLException {
    long first = single(insert);
    if (rows == 1) {
      return List.of(first);
    }
    long step = step(connection);
    return LongStream.range(0, rows).mapToObj(row -> first + row * step).toList();
  }

  /** The id of the only row that {@code insert} has just inserted. */
  public static long single(PreparedStatement insert) throws SQLException {
    try (ResultSet keys = insert.getGeneratedKeys()) {
      return positive(keys, "the id of an inserted row");
    }
  }

  private static long step(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(isMariaDb(connection) ? REMEMBERED : CURRENT)) {
      return positive(row, "auto_increment_increment");
    }
  }

  private static long positive(ResultSet row, String what) throws SQLException {
    long value = row.next() ? row.getLong(1) : 0;
    if (value <= 0) {
      throw new SQLException("the server or its driver did not return " + what);
    }
    return value;
  }

  private static boolean isMariaDb(Connection connection) throws SQLException {
    return ServerDialect.of(connection) == SQLDialect.MARIADB;
  }
}
