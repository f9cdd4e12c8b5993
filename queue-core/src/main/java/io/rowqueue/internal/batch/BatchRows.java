package io.rowqueue.internal.batch;

import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.BatchCounters.NewBatch;
import io.rowqueue.internal.database.GeneratedIds;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.message.Headers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
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
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
      Utf8Text.bind(insert, 1, batch.name());
      if (parent == null) {
        insert.setNull(2, Types.BIGINT);
      } else {
        insert.setLong(2, parent);
      }
      insert.setInt(3, batch.shards());
      insert.setInt(4, batch.shards());
      bind(insert, batch.completion());
      insert.executeUpdate();
      return GeneratedIds.single(insert);
    }
  }

  private static void bind(PreparedStatement insert, @Nullable NewMessage completion)
      throws SQLException {
    if (completion == null) {
      insert.setNull(5, Types.VARCHAR);
      insert.setInt(6, 0);
      insert.setNull(7, Types.VARCHAR);
      insert.setNull(8, Types.VARBINARY);
    } else {
      insert.setString(5, completion.topic().name());
      insert.setInt(6, completion.priority());
      Utf8Text.bind(insert, 7, Headers.toJson(completion.headers()));
      insert.setBytes(8, (byte[]) completion.payload());
    }
  }

  /**
   * Adds {@code opened} to the count of open shards, unless that would complete the batch.
   *
   * @return whether the change was written
   */
  boolean change(long batch, int opened) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(CHANGE)) {
      update.setInt(1, opened);
      update.setLong(2, batch);
      update.setInt(3, opened);
      return update.executeUpdate() == 1;
    }
  }

  @Nullable Locked lock(long batch) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(LOCK)) {
      select.setLong(1, batch);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        long parent = row.getLong(3);
        boolean isChild = !row.wasNull();
        return new Locked(
            row.getInt(1),
            row.getInt(2),
            isChild ? parent : null,
            row.getString(4),
            Utf8Text.read(row, 5));
      }
    }
  }

  /** Returns false if the batch was closed before, or is gone. */
  boolean close(long batch) throws SQLException {
    return execute(SEAL, batch) == 1;
  }

  void complete(long batch) throws SQLException {
    execute(COMPLETE, batch);
  }

  /** Enqueues the completion message, which takes the batch's place among its parent's members. */
  void enqueueCompletion(long batch, @Nullable String headers) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(COMPLETION)) {
      Utf8Text.bind(insert, 1, headers);
      insert.setLong(2, batch);
      insert.executeUpdate();
    }
  }

  /** How many shards it has; null if there is no such batch. */
  @Nullable Integer shards(long batch) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(READ)) {
      select.setLong(1, batch);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? row.getInt(1) : null;
      }
    }
  }

  private int execute(String sql, long batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, batch);
      return statement.executeUpdate();
    }
  }
}
