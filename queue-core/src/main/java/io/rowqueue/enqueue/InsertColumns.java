package io.rowqueue.enqueue;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The columns that messages of one statement need. Most need a topic and a payload only, and the
 * rest is as the table has it: the driver looks at each character of a statement's text, which took
 * longer for a row with all of them than everything else that a producer does for it (a profile of
 * 10,000 at a time, half of its time in Java).
 *
 * @param priority whether any has one
 * @param due whether any is due later
 * @param headers whether any has some
 */
record InsertColumns(boolean priority, boolean due, boolean headers) {

  /** The database's clock decides what is due; a delay counts from the insert. */
  private static final String NOW = ",0,UTC_TIMESTAMP(6)";

  private static final String DELAYED = ",2,UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND";
  private static final String DUE = ",IF(? > UTC_TIMESTAMP(6), 2, 0),?";

  /** Those that {@code messages} need together. */
  static InsertColumns of(List<EncodedMessage> messages) {
    return new InsertColumns(
        messages.stream().anyMatch(message -> message.priority() != 0),
        messages.stream().anyMatch(EncodedMessage::isDueLater),
        messages.stream().anyMatch(message -> message.headers() != null));
  }

  /** The INSERT of {@code messages}. */
  String sql(List<EncodedMessage> messages) {
    StringBuilder sql = new StringBuilder("INSERT INTO queue_message (topic, payload");
    sql.append(priority ? ", priority" : "");
    sql.append(headers ? ", headers" : "");
    sql.append(due ? ", state, due_at" : "");
    sql.append(") VALUES ");
    String separator = "";
    for (EncodedMessage message : messages) {
      sql.append(separator).append("(?,?");
      sql.append(priority ? ",?" : "");
      sql.append(headers ? ",?" : "");
      sql.append(due ? dueAt(message) : "");
      sql.append(')');
      separator = ",";
    }
    return sql.toString();
  }

  private static String dueAt(EncodedMessage message) {
    if (message.dueAt() != null) {
      return DUE;
    }
    return message.delayMicros() > 0 ? DELAYED : NOW;
  }

  /**
   * Binds a row's values from parameter {@code first} on.
   *
   * @return the parameter behind them
   */
  int bind(PreparedStatement insert, int first, EncodedMessage message) throws SQLException {
    int parameter = first;
    insert.setString(parameter++, message.topic());
    insert.setBytes(parameter++, message.payload());
    if (priority) {
      insert.setInt(parameter++, message.priority());
    }
    if (headers) {
      insert.setString(parameter++, message.headers());
    }
    return message.bindDue(insert, parameter);
  }
}
