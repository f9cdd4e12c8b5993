package io.rowqueue.bench.drain;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The protocol's claim in plain JDBC, with a cursor that is reset once a second. For one thread.
 */
final class BareClaims implements AutoCloseable {

  static final String LOCK_ID = "bare-1-loop";

  /** As many as the worker claims at most. */
  static final int LIMIT = 500;

  private static final long RESET_NANOS = 1_000_000_000L;

  private static final String SELECT =
      "SELECT id, payload, claims FROM queue_message FORCE INDEX (queue_message_claim)"
          + " WHERE topic = 'bench' AND state = 0 AND priority = 0 AND id > ?"
          + " ORDER BY priority, id LIMIT "
          + LIMIT
          + " FOR UPDATE SKIP LOCKED";
  private static final String RESET =
      "SELECT id FROM queue_message FORCE INDEX (queue_message_claim)"
          + " WHERE topic = 'bench' AND state = 0 ORDER BY priority, id LIMIT 1";
  private static final String UPDATE =
      "UPDATE queue_message FORCE INDEX (PRIMARY) SET state = 1, lock_id = '"
          + LOCK_ID
          + "', claims = claims + 1, started = 0, updated_at = UTC_TIMESTAMP(6) WHERE id IN ("
          + String.join(",", Collections.nCopies(LIMIT, "?"))
          + ")";

  private final Connection connection;
  private final PreparedStatement select;
  private final PreparedStatement reset;
  private final PreparedStatement update;
  private long cursor;
  private long resetNanos = System.nanoTime();

  BareClaims(Connection connection) throws SQLException {
    this.connection = connection;
    this.select = connection.prepareStatement(SELECT);
    this.reset = connection.prepareStatement(RESET);
    this.update = connection.prepareStatement(UPDATE);
  }

  /** A message that is this loop's. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Claimed(long id, int number, byte[] payload) {}

  /** The next ones, committed; none if the queue is empty. */
  List<Claimed> claim() throws SQLException {
    if (System.nanoTime() - resetNanos > RESET_NANOS) {
      reset();
    }
    List<Claimed> claimed = new ArrayList<>(LIMIT);
    select.setLong(1, cursor);
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        claimed.add(new Claimed(rows.getLong(1), rows.getInt(3) + 1, rows.getBytes(2)));
      }
    }
    if (!claimed.isEmpty()) {
      bindIds(update, claimed, 1);
      update.executeUpdate();
      cursor = claimed.get(claimed.size() - 1).id();
    }
    connection.commit();
    return claimed;
  }

  private void reset() throws SQLException {
    try (ResultSet row = reset.executeQuery()) {
      if (row.next()) {
        cursor = row.getLong(1) - 1;
      }
    }
    resetNanos = System.nanoTime();
  }

  /** Binds {@link #LIMIT} ids from {@code first} on; where there are fewer, the last one again. */
  static void bindIds(PreparedStatement statement, List<Claimed> claimed, int first)
      throws SQLException {
    for (int i = 0; i < LIMIT; i++) {
      statement.setLong(first + i, claimed.get(Math.min(i, claimed.size() - 1)).id());
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
