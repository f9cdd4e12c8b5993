package io.rowqueue.internal.enqueue;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.GeneratedIds;
import io.rowqueue.internal.database.TransientFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts many messages with few statements. Uses JDBC instead of jOOQ, since rendering a multi-row
 * insert for each call halves the throughput: 50 to 63 instead of 103 to 110 thousand rows a second
 * on MySQL 9.7.
 */
final class MultiRowInsert {

  /** Larger statements are no faster on the server. */
  static final int MAX_ROWS = 1_000;

  /**
   * A packet size that every server accepts: the smallest max_allowed_packet in use is 1 MiB,
   * MariaDB's default is 16 MiB.
   */
  static final long SURE_BYTES = 512 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(MultiRowInsert.class);

  private final Connection connection;
  private final GeneratedIds ids;

  MultiRowInsert(Connection connection) throws SQLException {
    this.connection = connection;
    this.ids = new GeneratedIds(connection);
  }

  /**
   * Inserts {@code messages} with statements of at most {@code packetBytes} each.
   *
   * @return the ids in the messages' order
   */
  List<Long> insert(List<EncodedMessage> messages, long packetBytes) throws SQLException {
    List<Long> all = new ArrayList<>(messages.size());
    int from = 0;
    while (from < messages.size()) {
      int to = chunkEnd(messages, from, packetBytes);
      all.addAll(insertChunk(messages.subList(from, to)));
      from = to;
    }
    return all;
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

  /** Whether {@code messages} need one INSERT and nothing else. */
  static boolean isEnoughFor(List<EncodedMessage> messages) {
    return !messages.isEmpty()
        && messages.size() <= MAX_ROWS
        && packetBytes(messages) <= SURE_BYTES
        && messages.stream().allMatch(EncodedMessage::isPlain);
  }

  /** An upper bound for the bytes that {@code messages} take in a packet. */
  static long packetBytes(List<EncodedMessage> messages) {
    return messages.stream().mapToLong(EncodedMessage::packetBytes).sum();
  }

  /**
   * Inserts {@code messages} with one statement, which commits by itself.
   *
   * @return the ids in the messages' order
   * @throws SQLException if nothing was inserted
   * @throws CommitOutcomeUnknownException if the connection failed after the statement was sent
   */
  List<Long> insertAndCommit(List<EncodedMessage> messages) throws SQLException {
    PreparedStatement insert = prepared(messages);
    try {
      insert.executeUpdate();
    } catch (SQLException | RuntimeException e) {
      close(insert);
      if (TransientFailures.leavesCommitOpen(e)) {
        throw unknown(e);
      }
      throw e;
    }
    try {
      List<Long> inserted = ids.of(insert, messages.size());
      AutoCommitSession.commit(connection);
      return inserted;
    } catch (SQLException e) {
      throw unknown(e);
    } finally {
      close(insert);
    }
  }

  private static CommitOutcomeUnknownException unknown(Exception e) {
    return new CommitOutcomeUnknownException(
        "it is unknown whether the INSERT was committed: " + e.getMessage(), e);
  }

  /** A failure here does not change the outcome of the statement. */
  private static void close(PreparedStatement insert) {
    try {
      insert.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a statement could not be closed: {}", e.getMessage());
    }
  }

  private List<Long> insertChunk(List<EncodedMessage> chunk) throws SQLException {
    try (PreparedStatement insert = prepared(chunk)) {
      insert.executeUpdate();
      return ids.of(insert, chunk.size());
    }
  }

  private PreparedStatement prepared(List<EncodedMessage> chunk) throws SQLException {
    InsertColumns columns = InsertColumns.of(chunk);
    PreparedStatement insert =
        connection.prepareStatement(
            columns.sql(chunk, ids.firstParameter(chunk.size())), Statement.RETURN_GENERATED_KEYS);
    try {
      int parameter = 1;
      for (EncodedMessage message : chunk) {
        parameter = columns.bind(insert, parameter, message);
      }
      return insert;
    } catch (SQLException | RuntimeException e) {
      close(insert);
      throw e;
    }
  }
}
