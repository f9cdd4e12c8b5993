package io.rowqueue.proof.model;

import io.rowqueue.proof.model.Image.Names;
import io.rowqueue.proof.model.Rows.AttemptRow;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Rows.SettledRow;
import io.rowqueue.proof.model.Rows.SettledRow.Counts;
import io.rowqueue.proof.model.Rows.SettledRow.Dates;
import io.rowqueue.proof.model.Rows.SettledRow.Leaving;
import io.rowqueue.proof.model.Rows.TopicRow;
import io.rowqueue.proof.model.Rows.WorkerRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the real tables hold: what is committed, on a connection of its own. All tables come
 * in one statement, as text, because a play looks at them after each step.
 */
final class Tables {

  /** As wide as the widest table. */
  private static final int COLUMNS = 13;

  /** Long payloads are compared by their length. */
  private static final String PAYLOAD =
      "IF(LENGTH(payload) > 100, CONCAT(LENGTH(payload), ' bytes'), payload)";

  private static final List<String> ATTEMPT =
      List.of(
          "message_id",
          "claim_number",
          "attempt",
          "worker",
          Times.column("failed_at"),
          "CONCAT(error_class, ': ', error_message)");

  private final Connection connection;
  private final Names names;
  private final List<Table> tables;
  private final String query;

  Tables(Connection connection, Names names) {
    this.connection = connection;
    this.names = names;
    this.tables = tables();
    this.query =
        IntStream.range(0, tables.size())
            .mapToObj(i -> tables.get(i).select(i))
            .collect(Collectors.joining(" UNION ALL "));
  }

  private List<Table> tables() {
    return List.of(
        new Table("queue_message", messageColumns(), row -> message(row).line(names)),
        new Table(
            "queue_worker",
            List.of("lock_id", "is_alive", "draining", Times.column("lease_until")),
            row -> worker(row).line()),
        new Table("queue_attempt", ATTEMPT, row -> attempt(row).line(names)),
        new Table(
            "queue_dead_letter",
            settledColumns("CONCAT(reason, ', ', detail)", "dead_at"),
            row -> settled(row).line(names)),
        new Table(
            "queue_archive",
            settledColumns(
                "CONCAT('day ', DATEDIFF(settled_day, '" + Times.BEGIN + "'))", "settled_at"),
            row -> settled(row).line(names)),
        new Table(
            "queue_topic",
            List.of("topic", "paused", "retention_days", "max_in_flight"),
            row -> topic(row).line(row.get(0))),
        new Table(
            "effect",
            List.of("message_id", "claim"),
            row -> names.of(row.number(0)) + " claim " + row.get(1)));
  }

  private static List<String> messageColumns() {
    return List.of(
        "id",
        "topic",
        PAYLOAD,
        Times.column("created_at"),
        "state",
        "priority",
        Times.column("due_at"),
        "lock_id",
        "claim_number",
        "attempts",
        "lost_claims",
        "handler_started",
        Times.column("updated_at"));
  }

  private static List<String> settledColumns(String why, String at) {
    return List.of(
        "id",
        "topic",
        "priority",
        "claim_number",
        "attempts",
        "lost_claims",
        Times.column("due_at"),
        Times.column("created_at"),
        Times.column(at),
        "worker",
        why,
        PAYLOAD);
  }

  Image image() throws SQLException {
    List<List<String>> lines =
        Stream.<List<String>>generate(ArrayList::new).limit(tables.size()).toList();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        int table = rows.getInt(1);
        lines.get(table).add(tables.get(table).line.of(Row.read(rows)));
      }
    }
    Image image = new Image();
    for (int i = 0; i < tables.size(); i++) {
      image.with(tables.get(i).name, lines.get(i).stream());
    }
    return image;
  }

  List<Long> available() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM queue_message WHERE state = 0")) {
      List<Long> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
      return ids;
    }
  }

  private static MessageRow message(Row row) {
    MessageRow message = new MessageRow(row.number(0), row.get(1), row.get(2), row.number(3));
    message.state = (byte) row.number(4);
    message.priority = (int) row.number(5);
    message.dueAt = row.number(6);
    message.lockId = row.get(7);
    message.claims = (int) row.number(8);
    message.attempts = (int) row.number(9);
    message.lost = (int) row.number(10);
    message.started = row.number(11) == 1;
    message.updatedAt = row.number(12);
    return message;
  }

  private static WorkerRow worker(Row row) {
    return new WorkerRow(row.get(0), row.number(1) == 1, row.number(2) == 1, row.number(3));
  }

  private static AttemptRow attempt(Row row) {
    return new AttemptRow(
        row.number(0),
        (int) row.number(1),
        (int) row.number(2),
        row.get(3),
        row.number(4),
        row.get(5));
  }

  private static SettledRow settled(Row row) {
    return new SettledRow(
        row.number(0),
        row.get(1),
        new Counts(
            (int) row.number(2), (int) row.number(3), (int) row.number(4), (int) row.number(5)),
        new Dates(row.number(6), row.number(7), row.number(8)),
        new Leaving(row.get(9), row.get(10), row.get(11)));
  }

  private static TopicRow topic(Row row) {
    return new TopicRow(row.number(1) == 1, numberOrNull(row.get(2)), numberOrNull(row.get(3)));
  }

  private static @Nullable Integer numberOrNull(String cell) {
    return cell.equals(Row.NULL) ? null : Integer.valueOf(cell);
  }

  /** One table, its columns as expressions, and how its rows read. */
  private record Table(String name, List<String> columns, Line line) {

    String select(int number) {
      return IntStream.range(0, COLUMNS)
          .mapToObj(i -> i < columns.size() ? columns.get(i) : "''")
          .map(column -> "CONVERT(" + column + " USING utf8mb4)")
          .collect(Collectors.joining(", ", "SELECT " + number + ", ", " FROM " + name));
    }
  }

  private interface Line {
    String of(Row row);
  }

  private record Row(List<String> cells) {

    static final String NULL = "null";

    static Row read(ResultSet rows) throws SQLException {
      List<String> cells = new ArrayList<>(COLUMNS);
      for (int i = 0; i < COLUMNS; i++) {
        cells.add(String.valueOf(rows.getString(i + 2)));
      }
      return new Row(cells);
    }

    String get(int column) {
      return cells.get(column);
    }

    long number(int column) {
      return Long.parseLong(cells.get(column));
    }
  }
}
