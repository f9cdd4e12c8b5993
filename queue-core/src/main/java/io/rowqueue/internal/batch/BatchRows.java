package io.rowqueue.internal.batch;

import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.BatchCounters.NewBatch;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.message.Headers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements on the batches' own rows, in JDBC like {@link ShardRows}. */
final class BatchRows {

  private static final String INSERT =
      "INSERT INTO queue_batch (name, parent_shard, shards, open_shards, topic, priority, headers,"
          + " payload, created_at) VALUES ("
          + Utf8Text.PARAMETER
          + ", ?, ?, ?, ?, ?, "
          + Utf8Text.PARAMETER
          + ", ?, UTC_TIMESTAMP(6))";

  private static final String CHANGE =
      "UPDATE queue_batch SET open_shards = open_shards + ? WHERE id = ? AND open_shards > 0 AND"
          + " open_shards + ? > 0";

  private static final String LOCK =
      "SELECT open_shards, shards, parent_shard, topic, CAST(headers AS BINARY) FROM queue_batch"
          + " WHERE id = ? FOR UPDATE";

  private static final String SEAL =
      "UPDATE queue_batch SET closed = 1 WHERE id = ? AND closed = 0";

  private static final String COMPLETE =
      "UPDATE queue_batch SET open_shards = 0, completed_at = UTC_TIMESTAMP(6) WHERE id = ?";

  private static final String COMPLETION =
      "INSERT INTO queue_message (topic, priority, state, due_at, headers, payload, batch_id)"
          + " SELECT topic, priority, 0, UTC_TIMESTAMP(6), "
          + Utf8Text.PARAMETER
          + ", payload, parent_shard FROM queue_batch WHERE id = ?";

  private static final String READ = "SELECT shards, closed FROM queue_batch WHERE id = ?";

  private final Connection connection;

  BatchRows(Connection connection) {
    this.connection = connection;
  }

  record Locked(
      int openShards,
      int shards,
      @Nullable Long parent,
      @Nullable String topic,
      @Nullable String headers) {}

  long insert(NewBatch batch, @Nullable Long parent) throws SQLException {
    NewMessage completion = batch.completion();
    return Jdbc.insert(
        connection,
        INSERT,
        Utf8Text.value(batch.name()),
        parent,
        batch.shards(),
        batch.shards(),
        completion == null ? null : completion.topic().name(),
        completion == null ? 0 : completion.priority(),
        completion == null ? null : Utf8Text.value(Headers.toJson(completion.headers())),
        completion == null ? null : completion.payload());
  }

  /**
   * Adds {@code opened} to the count of open shards, unless that would complete the batch.
   *
   * @return whether the change was written
   */
  boolean change(long batch, int opened) throws SQLException {
    return Jdbc.update(connection, CHANGE, opened, batch, opened) == 1;
  }

  @Nullable Locked lock(long batch) throws SQLException {
    List<Locked> locked = Jdbc.rows(connection, LOCK, BatchRows::locked, batch);
    return locked.isEmpty() ? null : locked.get(0);
  }

  private static Locked locked(ResultSet row) throws SQLException {
    return new Locked(
        row.getInt(1),
        row.getInt(2),
        row.getObject(3, Long.class),
        row.getString(4),
        Utf8Text.read(row, 5));
  }

  /** Returns false if the batch was closed before, or is gone. */
  boolean close(long batch) throws SQLException {
    return Jdbc.update(connection, SEAL, batch) == 1;
  }

  void complete(long batch) throws SQLException {
    Jdbc.update(connection, COMPLETE, batch);
  }

  /** Enqueues the completion message, which takes the batch's place among its parent's members. */
  void enqueueCompletion(long batch, @Nullable String headers) throws SQLException {
    Jdbc.update(connection, COMPLETION, Utf8Text.value(headers), batch);
  }

  /** How many shards it has; null if there is no such batch. */
  @Nullable Integer shards(long batch) throws SQLException {
    List<Integer> shards = Jdbc.rows(connection, READ, row -> row.getInt(1), batch);
    return shards.isEmpty() ? null : shards.get(0);
  }
}
