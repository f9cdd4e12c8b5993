package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.UtcInstantBinding;
import io.rowqueue.internal.database.Utf8Text;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
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
 * @param ordered whether any has an ordering key
 * @param members whether any is in a batch or a chain
 */
record InsertColumns(
    boolean priority, boolean due, boolean headers, boolean ordered, boolean members) {

  /** The database's clock decides what is due; a delay counts from the insert. */
  private static final String NOW = ",0,UTC_TIMESTAMP(6)";

  private static final String DELAYED = ",2,UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND";

  /** A constant, so that the index has what nobody has seen yet by id. */
  private static final String ARRIVING = ",4,TIMESTAMP'1970-01-01 00:00:00'";

  private static final String BLOCKED = ",3,UTC_TIMESTAMP(6)";
  private static final String DUE =
      ",IF(" + UtcInstantBinding.PARAMETER + " > UTC_TIMESTAMP(6), 2, 0),?";

  /** Those that {@code messages} need together. */
  static InsertColumns of(List<EncodedMessage> messages) {
    boolean ordered = messages.stream().anyMatch(message -> message.orderingKey() != null);
    return new InsertColumns(
        messages.stream().anyMatch(message -> message.priority() != 0),
        ordered || messages.stream().anyMatch(EncodedMessage::isDueLater),
        messages.stream().anyMatch(message -> message.headers() != null),
        ordered,
        messages.stream().anyMatch(message -> message.batchId() != null));
  }

  /** The INSERT of {@code messages}, whose first parameter is written as {@code first}. */
  String sql(List<EncodedMessage> messages, String first) {
    StringBuilder sql = new StringBuilder("INSERT INTO queue_message (topic, payload");
    sql.append(priority ? ", priority" : "");
    sql.append(headers ? ", headers" : "");
    sql.append(ordered ? ", ordering_key" : "");
    sql.append(members ? ", batch_id" : "");
    sql.append(due ? ", state, due_at" : "");
    sql.append(") VALUES ");
    String parameter = first;
    String separator = "";
    for (EncodedMessage message : messages) {
      sql.append(separator).append('(').append(parameter).append(",?");
      sql.append(priority ? ",?" : "");
      sql.append(headers ? ',' + Utf8Text.parameter(message.headers()) : "");
      sql.append(ordered ? ',' + Utf8Text.parameter(message.orderingKey()) : "");
      sql.append(members ? ",?" : "");
      sql.append(due ? dueAt(message) : "");
      sql.append(')');
      parameter = "?";
      separator = ",";
    }
    return sql.toString();
  }

  private static String dueAt(EncodedMessage message) {
    if (message.dueAt() != null) {
      return DUE;
    }
    if (message.delayMicros() > 0) {
      return DELAYED;
    }
    return switch (message.place()) {
      case NONE -> NOW;
      case FIRST -> ARRIVING;
      case BEHIND -> BLOCKED;
    };
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
      Utf8Text.bind(insert, parameter++, message.headers());
    }
    if (ordered) {
      Utf8Text.bind(insert, parameter++, message.orderingKey());
    }
    if (members) {
      insert.setObject(parameter++, message.batchId(), Types.BIGINT);
    }
    return message.bindDue(insert, parameter);
  }
}
