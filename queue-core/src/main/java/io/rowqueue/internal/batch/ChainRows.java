package io.rowqueue.internal.batch;

import io.rowqueue.Topic;
import io.rowqueue.internal.batch.BatchCounters.NewStep;
import io.rowqueue.internal.database.GeneratedIds;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements on chains, in JDBC like {@link ShardRows}. Confined to a transaction's thread. */
final class ChainRows {

  private static final String NEXT =
      "SELECT step, topic, CAST(headers AS BINARY), delay_micros FROM queue_chain_step WHERE"
          + " chain_id = ? ORDER BY step LIMIT 1 FOR UPDATE";

  private static final String ENQUEUE =
      "INSERT INTO queue_message (topic, priority, state, due_at, headers, payload, batch_id)"
          + " SELECT topic, priority, IF(delay_micros > 0, 2, 0), UTC_TIMESTAMP(6) + INTERVAL"
          + " delay_micros MICROSECOND, "
          + Utf8Text.PARAMETER
          + ", payload, -chain_id FROM queue_chain_step WHERE chain_id"
          + " = ? AND step = ?";

  private static final String DELETE_STEP =
      "DELETE FROM queue_chain_step WHERE chain_id = ? AND step = ?";

  private static final String DELETE_STEPS = "DELETE FROM queue_chain_step WHERE chain_id = ?";

  private static final String MOVE = "UPDATE queue_chain SET message_id = ? WHERE id = ?";

  private static final String LOCK = "SELECT batch_id FROM queue_chain WHERE id = ? FOR UPDATE";

  private static final String READ = "SELECT batch_id FROM queue_chain WHERE id = ?";

  private static final String DELETE = "DELETE FROM queue_chain WHERE id = ?";

  private static final String LEAVE = "UPDATE queue_chain SET batch_id = NULL WHERE id = ?";

  private static final String INSERT =
      "INSERT INTO queue_chain (name, created_at, batch_id) VALUES ("
          + Utf8Text.PARAMETER
          + ", UTC_TIMESTAMP(6), ?)";

  private static final String INSERT_STEP =
      "INSERT INTO queue_chain_step (chain_id, step, topic, priority, delay_micros, headers,"
          + " payload) VALUES (?, ?, ?, ?, ?, "
          + Utf8Text.PARAMETER
          + ", ?)";

  private final Connection connection;
  private final @Nullable AfterCommit afterCommit;

  ChainRows(Connection connection, @Nullable AfterCommit afterCommit) {
    this.connection = connection;
    this.afterCommit = afterCommit;
  }

  /** Inserts a chain without steps and without a message. */
  long insert(@Nullable String name, @Nullable Long shard) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
      Utf8Text.bind(insert, 1, name);
      if (shard == null) {
        insert.setNull(2, Types.BIGINT);
      } else {
        insert.setLong(2, shard);
      }
      insert.executeUpdate();
      return GeneratedIds.single(insert);
    }
  }

  void insertStep(long chain, int number, NewStep step) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_STEP)) {
      insert.setLong(1, chain);
      insert.setInt(2, number);
      insert.setString(3, step.topic());
      insert.setInt(4, step.priority());
      insert.setLong(5, step.delayMicros());
      Utf8Text.bind(insert, 6, step.headers());
      insert.setBytes(7, step.payload());
      insert.executeUpdate();
    }
  }

  void move(long chain, long message) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(MOVE)) {
      update.setLong(1, message);
      update.setLong(2, chain);
      update.executeUpdate();
    }
  }

  /**
   * Enqueues the next step, with {@code carried} among its headers.
   *
   * @return false if none is left
   */
  boolean advance(long chain, Map<String, String> carried) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(NEXT)) {
      select.setLong(1, chain);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return false;
        }
        enqueue(chain, row.getInt(1), headers(Utf8Text.read(row, 3), carried));
        if (afterCommit != null && row.getLong(4) == 0) {
          afterCommit.onEnqueued(new Topic(row.getString(2)), 1);
        }
        return true;
      }
    }
  }

  static @Nullable String headers(@Nullable String its, Map<String, String> carried) {
    if (carried.isEmpty()) {
      return its;
    }
    Map<String, String> all = new LinkedHashMap<>(Headers.parse(its));
    all.putAll(carried);
    return Headers.toJson(all);
  }

  /** Enqueues a step; everything except its headers is copied within the server. */
  void enqueue(long chain, int step, @Nullable String headers) throws SQLException {
    long message;
    try (PreparedStatement insert =
        connection.prepareStatement(ENQUEUE, Statement.RETURN_GENERATED_KEYS)) {
      Utf8Text.bind(insert, 1, headers);
      insert.setLong(2, chain);
      insert.setInt(3, step);
      insert.executeUpdate();
      message = GeneratedIds.single(insert);
    }
    try (PreparedStatement delete = connection.prepareStatement(DELETE_STEP)) {
      delete.setLong(1, chain);
      delete.setInt(2, step);
      delete.executeUpdate();
    }
    move(chain, message);
  }

  int deleteSteps(long chain) throws SQLException {
    return execute(DELETE_STEPS, chain);
  }

  /**
   * Deletes a chain without steps.
   *
   * @return the batch shard that it was a member of, or null
   */
  @Nullable Long end(long chain) throws SQLException {
    Long shard = shard(LOCK, chain);
    execute(DELETE, chain);
    return shard;
  }

  /** The batch shard that it is a member of; null if there is none, or no such chain. */
  @Nullable Long shard(long chain) throws SQLException {
    return shard(READ, chain);
  }

  private @Nullable Long shard(String sql, long chain) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setLong(1, chain);
      try (ResultSet row = select.executeQuery()) {
        long shard = row.next() ? row.getLong(1) : 0;
        return shard == 0 ? null : shard;
      }
    }
  }

  /** Removes the chain from its batch; the chain continues. */
  void leaveBatch(long chain) throws SQLException {
    execute(LEAVE, chain);
  }

  private int execute(String sql, long chain) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, chain);
      return statement.executeUpdate();
    }
  }
}
