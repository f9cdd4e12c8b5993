package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.UtcText;
import io.rowqueue.internal.database.Utf8Text;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/**
 * The columns that the messages of one statement need. Most messages need only a topic and a
 * payload; the other columns keep their defaults. The driver parses each character of a statement:
 * with all columns, that took longer than the rest of the producer's work (a profile with 10,000
 * messages a call, half of the time in Java).
 *
 * @param priority whether any message has a priority
 * @param due whether any message has a due time, a delay or an ordering key
 * @param headers whether any message has headers
 * @param ordered whether any message has an ordering key
 * @param members whether any message is in a batch or a chain
 */
record InsertColumns(
    boolean priority, boolean due, boolean headers, boolean ordered, boolean members) {

  /** Uses the database's clock; a delay starts at the insert. */
  private static final String NOW = ",0,UTC_TIMESTAMP(6)";

  private static final String DELAYED = ",2,UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND";

  /** A constant due time, so that the index sorts messages that are not admitted yet by id. */
  private static final String ARRIVING = ",4,TIMESTAMP'1970-01-01 00:00:00'";

  private static final String BLOCKED = ",3,UTC_TIMESTAMP(6)";
  private static final String DUE = ",IF(" + UtcText.PARAMETER + " > UTC_TIMESTAMP(6), 2, 0),?";

  /** It may have become due since its producer read the clock, and is not admitted then. */
  private static final String ORDERED_DUE = DUE.replace("2, 0", "2, 4");

  /** The columns that {@code messages} need together. */
  static InsertColumns of(List<EncodedMessage> messages) {
    boolean ordered = messages.stream().anyMatch(message -> message.orderingKey() != null);
    return new InsertColumns(
        messages.stream().anyMatch(message -> message.priority() != 0),
        ordered || messages.stream().anyMatch(EncodedMessage::isDueLater),
        messages.stream().anyMatch(message -> message.headers() != null),
        ordered,
        messages.stream().anyMatch(message -> message.batchId() != null));
  }

  /** The INSERT of {@code messages}, with {@code first} as its first parameter marker. */
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
      return message.orderingKey() == null ? DUE : ORDERED_DUE;
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
   * @return the next parameter
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
