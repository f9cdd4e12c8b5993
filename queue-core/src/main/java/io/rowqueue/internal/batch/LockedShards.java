package io.rowqueue.internal.batch;

import io.rowqueue.internal.database.SessionSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Several shards that one transaction changes, most of them equally: a group of acks decrements
 * each by one or two. One statement locks them, and one statement changes all that change equally
 * and stay open. Confined to a transaction's thread.
 */
final class LockedShards {

  private static final String LOCK =
      "SELECT id, open_members, waits_for_dead FROM queue_batch_shard FORCE INDEX (PRIMARY) WHERE"
          + " id IN (%s) ORDER BY id"
          + SessionSettings.ALL_ROWS
          + " FOR UPDATE";

  private static final String CHANGE =
      "UPDATE queue_batch_shard FORCE INDEX (PRIMARY) SET open_members = open_members + ?, "
          + ShardRows.COUNTS
          + " WHERE id IN (%s)";

  private final Connection connection;
  private final Map<Long, ShardRows.Locked> locked = new HashMap<>();

  private LockedShards(Connection connection) {
    this.connection = connection;
  }

  /** Whether this takes fewer statements than one per shard. */
  static boolean pays(Map<Long, ShardChange> changes) {
    return new HashSet<>(changes.values()).size() + 1 < changes.size();
  }

  /** Locks the existing shards of {@code ids}, which ascend. */
  static LockedShards lock(Connection connection, Collection<Long> ids) throws SQLException {
    LockedShards shards = new LockedShards(connection);
    String lock = LOCK.formatted(ShardRows.marks(ids.size()));
    try (PreparedStatement select = connection.prepareStatement(lock)) {
      ShardRows.bind(select, 1, ids);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          shards.locked.put(row.getLong(1), new ShardRows.Locked(row.getInt(2), row.getBoolean(3)));
        }
      }
    }
    return shards;
  }

  /**
   * Writes those of {@code changes} after which their shard stays open.
   *
   * @return the other shards, as locked; null for one that does not exist
   */
  Map<Long, ShardRows.Locked> changeOpen(SortedMap<Long, ShardChange> changes) throws SQLException {
    Map<Long, ShardRows.Locked> others = new LinkedHashMap<>();
    Map<Alike, List<Long>> open = new LinkedHashMap<>();
    changes.forEach(
        (id, change) -> {
          ShardRows.Locked shard = locked.get(id);
          if (shard != null && shard.staysOpen(change)) {
            Alike alike = new Alike(change, change.openOf(shard.holds()));
            open.computeIfAbsent(alike, first -> new ArrayList<>()).add(id);
          } else {
            others.put(id, shard);
          }
        });
    for (Map.Entry<Alike, List<Long>> group : open.entrySet()) {
      change(group.getKey(), group.getValue());
    }
    return others;
  }

  private void change(Alike alike, List<Long> ids) throws SQLException {
    String change = CHANGE.formatted(ShardRows.marks(ids.size()));
    try (PreparedStatement update = connection.prepareStatement(change)) {
      update.setInt(1, alike.open);
      ShardRows.bind(update, ShardRows.bind(update, 2, alike.change), ids);
      update.executeUpdate();
    }
  }

  /** Shards with the same change and the same count are updated together. */
  private record Alike(ShardChange change, int open) {}
}
