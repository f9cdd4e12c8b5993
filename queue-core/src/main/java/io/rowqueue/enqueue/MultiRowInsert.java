package io.rowqueue.enqueue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes many messages with few statements. This is JDBC where the rest of the house is jOOQ: a
 * multi-row insert rendered for each call costs half of the rate at which the server takes rows
 * (the figures stand in {@code docs/design-decisions.md}).
 */
final class MultiRowInsert {

  /** Above this the server gains nothing from larger statements. */
  static final int MAX_ROWS = 1_000;

  private static final String HEAD =
      "INSERT INTO queue_message (topic, priority, state, due_at, headers, payload) VALUES ";

  /** The database's clock decides what is due; a delay counts from the insert. */
  private static final String NOW_ROW = "(?, ?, 0, UTC_TIMESTAMP(6), ?, ?)";

  private static final String DELAYED_ROW =
      "(?, ?, 2, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, ?, ?)";
  private static final String DUE_ROW = "(?, ?, IF(? > UTC_TIMESTAMP(6), 2, 0), ?, ?, ?)";

  private final Connection connection;

  MultiRowInsert(Connection connection) {
    this.connection = connection;
  }

  /**
   * Inserts {@code messages} with statements of at most {@code packetBytes} each.
   *
   * @return the ids in the messages' order
   */
  List<Long> insert(List<EncodedMessage> messages, long packetBytes) throws SQLException {
    List<Long> ids = new ArrayList<>(messages.size());
    int from = 0;
    while (from < messages.size()) {
      int to = chunkEnd(messages, from, packetBytes);
      ids.addAll(insertChunk(messages.subList(from, to)));
      from = to;
    }
    return ids;
  }

  private static int chunkEnd(List<EncodedMessage> messages, int from, long packetBytes) {
    long bytes = 0;
    int to = from;
    while (to < messages.size() && to - from < MAX_ROWS) {
      bytes += messages.get(to).packetBytes();
      if (bytes > packetBytes && to > from) {
        break;
      }
      to++;
    }
    return to;
  }

  private List<Long> insertChunk(List<EncodedMessage> chunk) throws SQLException {
    String sql =
        chunk.stream().map(MultiRowInsert::row).collect(Collectors.joining(", ", HEAD, ""));
    try (PreparedStatement insert =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      int parameter = 1;
      for (EncodedMessage message : chunk) {
        parameter = bind(insert, parameter, message);
      }
      insert.executeUpdate();
      return keys(insert, chunk.size());
    }
  }

  private static String row(EncodedMessage message) {
    if (message.dueAt() != null) {
      return DUE_ROW;
    }
    return message.delayMicros() > 0 ? DELAYED_ROW : NOW_ROW;
  }

  private static int bind(PreparedStatement insert, int first, EncodedMessage message)
      throws SQLException {
    int parameter = first;
    insert.setString(parameter++, message.topic());
    insert.setInt(parameter++, message.priority());
    if (message.dueAt() != null) {
      insert.setObject(parameter++, message.dueAt());
      insert.setObject(parameter++, message.dueAt());
    } else if (message.delayMicros() > 0) {
      insert.setLong(parameter++, message.delayMicros());
    }
    if (message.headers() == null) {
      insert.setNull(parameter++, Types.VARCHAR);
    } else {
      insert.setString(parameter++, message.headers());
    }
    insert.setBytes(parameter++, message.payload());
    return parameter;
  }

  private static List<Long> keys(PreparedStatement insert, int rows) throws SQLException {
    List<Long> ids = new ArrayList<>(rows);
    try (ResultSet keys = insert.getGeneratedKeys()) {
      while (keys.next()) {
        ids.add(keys.getLong(1));
      }
    }
    if (ids.size() != rows) {
      throw new SQLException(
          "%d messages were inserted and %d ids came back".formatted(rows, ids.size()));
    }
    return ids;
  }
}
