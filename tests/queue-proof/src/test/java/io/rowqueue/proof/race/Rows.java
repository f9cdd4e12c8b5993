package io.rowqueue.proof.race;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Every row of every table of a schema. */
public record Rows(List<String> exact, List<String> timeless) {

  private static final Set<String> VARYING =
      Set.of("error_trace", "sample_micros", "oldest_seconds");

  /** As they are once every transaction that is open now has committed. */
  public static Rows promised(Connection connection) throws SQLException {
    return read(connection, Connection.TRANSACTION_READ_UNCOMMITTED);
  }

  /** As they are for everybody. */
  public static Rows committed(Connection connection) throws SQLException {
    return read(connection, Connection.TRANSACTION_READ_COMMITTED);
  }

  private static Rows read(Connection connection, int isolation) throws SQLException {
    connection.setTransactionIsolation(isolation);
    Rows rows = new Rows(new ArrayList<>(), new ArrayList<>());
    try (Statement statement = connection.createStatement()) {
      for (String table : tables(statement)) {
        try (ResultSet found = statement.executeQuery("SELECT * FROM " + table + " ORDER BY 1")) {
          while (found.next()) {
            rows.add(table, found);
          }
        }
      }
    }
    return rows;
  }

  private static List<String> tables(Statement statement) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (ResultSet found = statement.executeQuery("SHOW TABLES")) {
      while (found.next()) {
        tables.add(found.getString(1));
      }
    }
    return tables;
  }

  private void add(String table, ResultSet found) throws SQLException {
    ResultSetMetaData columns = found.getMetaData();
    List<String> all = new ArrayList<>(List.of(table));
    List<String> some = new ArrayList<>(List.of(table));
    for (int column = 1; column <= columns.getColumnCount(); column++) {
      String name = columns.getColumnLabel(column).toLowerCase(Locale.ROOT);
      String text = name + "=" + found.getString(column);
      all.add(text);
      if (columns.getColumnType(column) != Types.TIMESTAMP && !VARYING.contains(name)) {
        some.add(text);
      }
    }
    exact.add(String.join(" ", all));
    timeless.add(String.join(" ", some));
  }
}
