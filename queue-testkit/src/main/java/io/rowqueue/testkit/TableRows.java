package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sorted rows of a schema's tables as text: the application's tables, its counters, and
 * enqueued messages.
 *
 * @param rows by table
 */
record TableRows(Map<String, List<String>> rows) {

  /** RowQueue's own tables change with every attempt; counters belong to the application. */
  private static final String TABLES =
      """
      SELECT table_name, GROUP_CONCAT(column_name ORDER BY ordinal_position)
      FROM information_schema.columns
      WHERE table_schema = DATABASE() AND extra NOT LIKE '%auto_increment%'
        AND (LEFT(table_name, 6) <> 'queue_' OR table_name = 'queue_counter')
      GROUP BY table_name
      """;

  /**
   * Reads them with {@code connection}; the message {@code without} was not enqueued by the
   * handler.
   */
  static TableRows read(Connection connection, MessageId without) throws SQLException {
    Map<String, List<String>> rows = new TreeMap<>();
    try (Statement statement = connection.createStatement()) {
      Map<String, String> tables = new TreeMap<>();
      try (ResultSet table = statement.executeQuery(TABLES)) {
        while (table.next()) {
          tables.put(table.getString(1), table.getString(2));
        }
      }
      for (Map.Entry<String, String> table : tables.entrySet()) {
        rows.put(
            table.getKey(),
            lines(
                statement,
                "SELECT `%s` FROM `%s`"
                    .formatted(table.getValue().replace(",", "`, `"), table.getKey())));
      }
      rows.put(
          "messages",
          lines(
              statement,
              "SELECT topic, CONVERT(payload USING utf8mb4), headers FROM queue_message WHERE id <>"
                  + " "
                  + without));
    }
    return new TableRows(rows);
  }

  private static List<String> lines(Statement statement, String query) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(query)) {
      int columns = row.getMetaData().getColumnCount();
      while (row.next()) {
        List<String> cells = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          cells.add(String.valueOf(row.getString(column)));
        }
        lines.add(cells.toString());
      }
    }
    lines.sort(null);
    return lines;
  }

  /** Lists the rows that {@code later} has in addition, or lacks. */
  List<String> differences(TableRows later) {
    List<String> differences = new ArrayList<>();
    later.rows.forEach(
        (table, after) -> {
          List<String> before = rows.getOrDefault(table, List.of());
          without(after, before).forEach(row -> differences.add(table + " has also " + row));
          without(before, after).forEach(row -> differences.add(table + " has no longer " + row));
        });
    return differences;
  }

  /** Compares row by row, since duplicate rows matter. */
  private static List<String> without(List<String> all, List<String> some) {
    List<String> rest = new ArrayList<>(all);
    some.forEach(rest::remove);
    return rest;
  }
}
