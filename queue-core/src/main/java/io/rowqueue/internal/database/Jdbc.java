package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Short, frequent statements, which take the server less time than jOOQ takes to render them. A
 * parameter that is a collection stands for its elements.
 */
public final class Jdbc {

  private Jdbc() {}

  /**
   * {@code time} in whole microseconds, the unit of the servers.
   *
   * @throws ArithmeticException if it is longer than 292,000 years
   */
  public static long micros(Duration time) {
    return Math.addExact(
        Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNano() / 1_000L);
  }

  /** Returns the number of rows. */
  public static int update(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      return statement.executeUpdate();
    }
  }

  /** Inserts one row and returns its generated id. */
  public static long insert(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      bind(statement, parameters);
      statement.executeUpdate();
      return GeneratedIds.single(statement);
    }
  }

  /** Returns what {@code read} makes of each row. */
  public static <T> List<T> rows(
      Connection connection,
      String sql,
      CheckedFunction<ResultSet, T> read,
      @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      List<T> all = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          all.add(read.apply(rows));
        }
      }
      return all;
    }
  }

  private static void bind(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    int index = 1;
    for (Object parameter : parameters) {
      if (parameter instanceof Collection<?> several) {
        for (Object each : several) {
          statement.setObject(index++, each);
        }
      } else {
        statement.setObject(index++, parameter);
      }
    }
  }

  /** Question marks for an IN list. */
  public static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }
}
