package io.rowqueue.internal.batch;

import io.rowqueue.Topic;
import io.rowqueue.internal.batch.BatchCounters.NewStep;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
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
    return Jdbc.insert(connection, INSERT, Utf8Text.value(name), shard);
  }

  void insertStep(long chain, int number, NewStep step) throws SQLException {
    Jdbc.update(
        connection,
        INSERT_STEP,
        chain,
        number,
        step.topic(),
        step.priority(),
        step.delayMicros(),
        Utf8Text.value(step.headers()),
        step.payload());
  }

  void move(long chain, long message) throws SQLException {
    Jdbc.update(connection, MOVE, message, chain);
  }

  /**
   * Enqueues the next step, with {@code carried} among its headers.
   *
   * @return false if none is left
   */
  boolean advance(long chain, Map<String, String> carried) throws SQLException {
    List<Next> steps = Jdbc.rows(connection, NEXT, Next::of, chain);
    if (steps.isEmpty()) {
      return false;
    }
    Next next = steps.get(0);
    enqueue(chain, next.step, headers(next.headers, carried));
    if (afterCommit != null && next.delayMicros == 0) {
      afterCommit.onEnqueued(new Topic(next.topic), 1);
    }
    return true;
  }

  private record Next(int step, String topic, @Nullable String headers, long delayMicros) {
    static Next of(ResultSet row) throws SQLException {
      return new Next(row.getInt(1), row.getString(2), Utf8Text.read(row, 3), row.getLong(4));
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
    long message = Jdbc.insert(connection, ENQUEUE, Utf8Text.value(headers), chain, step);
    Jdbc.update(connection, DELETE_STEP, chain, step);
    move(chain, message);
  }

  int deleteSteps(long chain) throws SQLException {
    return Jdbc.update(connection, DELETE_STEPS, chain);
  }

  /**
   * Deletes a chain without steps.
   *
   * @return the batch shard that it was a member of, or null
   */
  @Nullable Long end(long chain) throws SQLException {
    Long shard = shard(LOCK, chain);
    Jdbc.update(connection, DELETE, chain);
    return shard;
  }

  /** The batch shard that it is a member of; null if there is none, or no such chain. */
  @Nullable Long shard(long chain) throws SQLException {
    return shard(READ, chain);
  }

  private @Nullable Long shard(String sql, long chain) throws SQLException {
    List<Long> shards = Jdbc.rows(connection, sql, row -> row.getLong(1), chain);
    return shards.isEmpty() || shards.get(0) == 0 ? null : shards.get(0);
  }

  /** Removes the chain from its batch; the chain continues. */
  void leaveBatch(long chain) throws SQLException {
    Jdbc.update(connection, LEAVE, chain);
  }
}
