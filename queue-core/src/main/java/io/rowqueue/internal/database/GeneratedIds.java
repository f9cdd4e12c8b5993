package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The ids that a server gave to the rows of one INSERT. The server returns only the first; the
 * others follow in steps of {@code auto_increment_increment}. Drivers that return all ids compute
 * them from a step that they read when they connected, or that another connection read. The step
 * changes when a node joins or leaves a cluster, or when the session sets it. This class uses the
 * step of the INSERT itself. For the INSERTs of one call on one connection; not thread-safe.
 */
public final class GeneratedIds {

  /**
   * Galera may change the session's step between two statements, so the INSERT itself stores it.
   */
  private static final String REMEMBERING =
      "IF(@rowqueue_step := @@auto_increment_increment, ?, NULL)";

  private static final String REMEMBERED = "SELECT @rowqueue_step";

  /** On MySQL a session's step changes only if the session sets it, so one query is enough. */
  private static final String CURRENT = "SELECT @@auto_increment_increment";

  private final Connection connection;
  private boolean mariaDb;
  private long mySqlStep;

  /** For INSERTs on {@code connection}. */
  public GeneratedIds(Connection connection) {
    this.connection = connection;
  }

  /**
   * The first parameter of an INSERT of {@code rows} rows, whose value must not be NULL; all others
   * are plain question marks. To be called before each INSERT: on MySQL it reads the step, since a
   * query that fails after an INSERT that has committed would leave its ids unknown.
   */
  public String firstParameter(int rows) throws SQLException {
    if (rows == 1) {
      return "?";
    }
    if (mySqlStep == 0 && !mariaDb) {
      mariaDb = ServerDialect.of(connection) == ServerDialect.MARIADB;
      mySqlStep = mariaDb ? 0 : read(CURRENT);
    }
    return mariaDb ? REMEMBERING : "?";
  }

  /**
   * The ids of the {@code rows} that {@code insert} has just inserted, in their order. It was
   * prepared on this connection with {@link Statement#RETURN_GENERATED_KEYS}.
   */
  public List<Long> of(PreparedStatement insert, int rows) throws SQLException {
    long first = single(insert);
    if (rows == 1) {
      return List.of(first);
    }
    long step = mariaDb ? read(REMEMBERED) : mySqlStep;
    return LongStream.range(0, rows).mapToObj(row -> first + row * step).toList();
  }

  /** The id of the only row that {@code insert} has just inserted. */
  public static long single(PreparedStatement insert) throws SQLException {
    try (ResultSet keys = insert.getGeneratedKeys()) {
      return positive(keys, "the id of an inserted row");
    }
  }

  private long read(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
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
}
