package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.UtcText;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The statements on deduplication keys and on the messages that they name. Uses JDBC for the same
 * reason as {@link MultiRowInsert}, with one SQL for both servers. Callers pass ids in ascending
 * order, the order of locks.
 */
final class KeyRows {

  private static final int CHUNK = 500;

  /** Smaller, since the server evaluates a CASE from its start for each row. */
  private static final int NAMED_CHUNK = 100;

  private static final String WAITING =
      MessageState.WAITING.stream().map(String::valueOf).collect(Collectors.joining(", "));

  private static final String READ =
      "SELECT d.dedup_id, d.message_id, m.state, d.held_until > UTC_TIMESTAMP(6) FROM"
          + " queue_deduplication d FORCE INDEX (PRIMARY) LEFT JOIN queue_message m FORCE INDEX"
          + " (PRIMARY) ON m.id = d.message_id AND m.topic = d.topic WHERE d.dedup_id IN (%s)"
          + SessionSettings.ALL_ROWS;

  private static final String TOUCH =
      "UPDATE queue_deduplication FORCE INDEX (PRIMARY) SET version = version + 1, updated_at ="
          + " UTC_TIMESTAMP(6) WHERE dedup_id IN (%s)";

  private static final String MAKE_OR_TOUCH =
      "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES %s"
          + " ON DUPLICATE KEY UPDATE version = version + 1, updated_at = UTC_TIMESTAMP(6)";

  private static final String MADE = "(?, ?, " + Utf8Text.PARAMETER + ", 1, UTC_TIMESTAMP(6))";

  private static final String CONFIRM =
      "UPDATE queue_message FORCE INDEX (PRIMARY) SET updated_at = UTC_TIMESTAMP(6) WHERE id IN"
          + " (%s) AND state IN ("
          + WAITING
          + ")";

  private static final String REPLACE =
      "UPDATE queue_message FORCE INDEX (PRIMARY) SET payload = ?, headers = "
          + Utf8Text.PARAMETER
          + ", priority = ?,"
          + " updated_at = UTC_TIMESTAMP(6)%s WHERE id = ? AND state IN ("
          + WAITING
          + ") AND CAST(ordering_key AS BINARY) <=> ? AND (batch_id BETWEEN ? AND ? OR batch_id <=>"
          + " ?)";

  /**
   * A message that is blocked or arriving keeps its position; one that is due now and has an
   * ordering key joins its ordering group.
   */
  private static final String DUE_AT =
      ", due_at = IF(state IN (3, 4), due_at, %s), state = IF(state IN (3, 4), state, %s)";

  private static final String NO_MORE_SCHEDULED = "IF(ordering_key IS NULL, 0, 4)";
  private static final String NOW = DUE_AT.formatted("UTC_TIMESTAMP(6)", NO_MORE_SCHEDULED);
  private static final String DELAYED =
      DUE_AT.formatted("UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND", "2");
  private static final String DUE =
      DUE_AT.formatted(
          UtcText.PARAMETER,
          "IF(" + UtcText.PARAMETER + " > UTC_TIMESTAMP(6), 2, " + NO_MORE_SCHEDULED + ")");

  private static final String NAME =
      "UPDATE queue_deduplication FORCE INDEX (PRIMARY) SET message_id = CASE dedup_id %s END,"
          + " held_until = %s WHERE dedup_id IN (%s)";

  private final Connection connection;

  KeyRows(Connection connection) {
    this.connection = connection;
  }

  /** Reads the rows that exist, without locks. */
  Map<TopicKeyId, HeldKey> read(Collection<TopicKeyId> ids) throws SQLException {
    Map<TopicKeyId, HeldKey> found = new HashMap<>();
    for (List<TopicKeyId> chunk : Lists.chunks(ids, CHUNK)) {
      try (PreparedStatement select =
          connection.prepareStatement(READ.formatted(Lists.marks("?", chunk.size())))) {
        Lists.bind(select, 1, chunk);
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            found.put(TopicKeyId.of(row.getBytes(1)), held(row));
          }
        }
      }
    }
    return found;
  }

  private static HeldKey held(ResultSet row) throws SQLException {
    long messageId = row.getLong(2);
    boolean named = !row.wasNull();
    byte state = row.getByte(3);
    boolean known = !row.wasNull();
    return new HeldKey(named ? messageId : null, known ? state : null, row.getBoolean(4));
  }

  /**
   * Locks existing rows, and no gaps.
   *
   * @return false if any row no longer exists
   */
  boolean touch(Collection<TopicKeyId> ids) throws SQLException {
    int rows = 0;
    for (List<TopicKeyId> chunk : Lists.chunks(ids, CHUNK)) {
      try (PreparedStatement update =
          connection.prepareStatement(TOUCH.formatted(Lists.marks("?", chunk.size())))) {
        Lists.bind(update, 1, chunk);
        rows += update.executeUpdate();
      }
    }
    return rows == ids.size();
  }

  /**
   * Inserts the rows of {@code keys}, or locks those that exist.
   *
   * @return the count by the servers: 1 for an inserted row, 2 for one that existed
   */
  int makeOrTouch(Collection<KeyedMessage> keys) throws SQLException {
    int rows = 0;
    for (List<KeyedMessage> chunk : Lists.chunks(keys, CHUNK)) {
      String values = Lists.marks(MADE, chunk.size());
      try (PreparedStatement insert =
          connection.prepareStatement(MAKE_OR_TOUCH.formatted(values))) {
        int parameter = 1;
        for (KeyedMessage key : chunk) {
          insert.setBytes(parameter++, key.id().bytes());
          insert.setString(parameter++, key.content().topic());
          Utf8Text.bind(insert, parameter++, key.rule().key());
        }
        rows += insert.executeUpdate();
      }
    }
    return rows;
  }

  /** Locks {@code messages} until the transaction ends; false if any of them no longer waits. */
  boolean confirmAll(Collection<Long> messages) throws SQLException {
    int rows = 0;
    for (List<Long> chunk : Lists.chunks(messages, CHUNK)) {
      try (PreparedStatement update =
          connection.prepareStatement(CONFIRM.formatted(Lists.marks("?", chunk.size())))) {
        int parameter = 1;
        for (long message : chunk) {
          update.setLong(parameter++, message);
        }
        rows += update.executeUpdate();
      }
    }
    return rows == messages.size();
  }

  /** Locks {@code message} until the transaction ends; false if it no longer waits. */
  boolean confirm(long message) throws SQLException {
    return confirmAll(List.of(message));
  }

  /**
   * Replaces {@code message} by the new content of {@code key}.
   *
   * @return false if it no longer waits, or has another ordering key, batch or chain
   */
  boolean replace(long message, KeyedMessage key) throws SQLException {
    EncodedMessage content = key.content();
    boolean due = key.rule().answer() == Deduplication.Answer.REPLACE;
    try (PreparedStatement update =
        connection.prepareStatement(REPLACE.formatted(due ? due(content) : ""))) {
      int parameter = 1;
      update.setBytes(parameter++, content.payload());
      Utf8Text.bind(update, parameter++, content.headers());
      update.setInt(parameter++, content.priority());
      if (due) {
        parameter = content.bindDue(update, parameter);
      }
      update.setLong(parameter++, message);
      content.bindGroups(update, parameter);
      return update.executeUpdate() == 1;
    }
  }

  private static String due(EncodedMessage content) {
    if (content.dueAt() != null) {
      return DUE;
    }
    return content.delayMicros() > 0 ? DELAYED : NOW;
  }

  /** Stores the messages that {@code keys} name now, and the ends of their windows. */
  void name(Collection<KeyedMessage> keys) throws SQLException {
    for (List<KeyedMessage> chunk : Lists.chunks(keys, NAMED_CHUNK)) {
      List<KeyedMessage> windows =
          chunk.stream().filter(key -> key.rule().window() != null).toList();
      String names = "WHEN ? THEN ? ".repeat(chunk.size());
      try (PreparedStatement update =
          connection.prepareStatement(
              NAME.formatted(names, until(windows.size()), Lists.marks("?", chunk.size())))) {
        int parameter = 1;
        for (KeyedMessage key : chunk) {
          update.setBytes(parameter++, key.id().bytes());
          update.setLong(parameter++, key.messageId());
        }
        for (KeyedMessage key : windows) {
          update.setBytes(parameter++, key.id().bytes());
          update.setLong(parameter++, Jdbc.micros(Objects.requireNonNull(key.rule().window())));
        }
        Lists.bind(update, parameter, chunk.stream().map(KeyedMessage::id).toList());
        update.executeUpdate();
      }
    }
  }

  private static String until(int windows) {
    return windows == 0
        ? "NULL"
        : "CASE dedup_id "
            + "WHEN ? THEN UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND ".repeat(windows)
            + "END";
  }
}
