package io.rowqueue.internal.batch;

import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.operate.BatchCounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements on batch shards. They use JDBC, unlike the rest of the code, because most messages of
 * a batch need exactly one short statement. Each addresses rows by their whole primary keys, since
 * it may run in a producer's REPEATABLE READ. Confined to a transaction's thread.
 */
final class ShardRows {

  private static final Logger LOG = LoggerFactory.getLogger(ShardRows.class);

  /** The counters of a shard apart from its open members. */
  static final String COUNTS =
      "total = total + ?, acked = acked + ?, dead = dead + ?, cancelled = cancelled + ?,"
          + " first_message = COALESCE(LEAST(first_message, ?), first_message, ?)";

  /** Enough as long as the shard stays open. */
  private static final String CHANGE =
      "UPDATE queue_batch_shard SET open_members = open_members + ? - ? * (1 - waits_for_dead), "
          + COUNTS
          + " WHERE id = ? AND open_members > 0 AND open_members + ? - ? * (1 - waits_for_dead) >"
          + " 0";

  private static final String LOCK =
      "SELECT open_members, waits_for_dead FROM queue_batch_shard WHERE id = ? FOR UPDATE";

  private static final String SET =
      "UPDATE queue_batch_shard SET open_members = ?, " + COUNTS + " WHERE id = ?";

  private static final String INSERT =
      "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members) VALUES %s";

  private static final String HOLDS = "SELECT waits_for_dead FROM queue_batch_shard WHERE id = ?";

  private static final String UNSEAL =
      "UPDATE queue_batch_shard FORCE INDEX (PRIMARY) SET open_members = open_members - 1 WHERE id"
          + " IN (%s) AND open_members > 0";

  private static final String CLOSED =
      "SELECT COUNT(*) FROM queue_batch_shard FORCE INDEX (PRIMARY) WHERE id IN (%s) AND"
          + " open_members = 0 FOR UPDATE";

  private static final String SUM =
      "SELECT COALESCE(SUM(total), 0), COALESCE(SUM(acked), 0), COALESCE(SUM(dead), 0),"
          + " COALESCE(SUM(cancelled), 0) FROM queue_batch_shard FORCE INDEX (PRIMARY) WHERE id IN"
          + " (%s)%s";

  private final Connection connection;

  ShardRows(Connection connection) {
    this.connection = connection;
  }

  /**
   * Inserts the shards of a batch, each with one open member, which closing the batch removes.
   *
   * @param holds whether a dead letter counts as unsettled
   */
  void insert(long batch, int shards, boolean holds) throws SQLException {
    String rows = String.join(", ", Collections.nCopies(shards, "(?, ?, 1)"));
    try (PreparedStatement insert = connection.prepareStatement(INSERT.formatted(rows))) {
      int parameter = 1;
      for (long shard : CounterShard.all(batch, shards)) {
        insert.setLong(parameter++, shard);
        insert.setBoolean(parameter++, holds);
      }
      insert.executeUpdate();
    }
  }

  /** Writes {@code changes} in the order of their shards. */
  Changed change(SortedMap<Long, ShardChange> changes) throws SQLException {
    return LockedShards.pays(changes) ? changeMany(changes) : changeEach(changes);
  }

  private Changed changeMany(SortedMap<Long, ShardChange> changes) throws SQLException {
    Changed changed = new Changed();
    Map<Long, Locked> others = LockedShards.lock(connection, changes.keySet()).changeOpen(changes);
    for (Map.Entry<Long, Locked> shard : others.entrySet()) {
      ShardChange change = Objects.requireNonNull(changes.get(shard.getKey()));
      changed.add(shard.getKey(), change(shard.getKey(), change, shard.getValue()));
    }
    return changed;
  }

  private Changed changeEach(SortedMap<Long, ShardChange> changes) throws SQLException {
    Changed changed = new Changed();
    for (Map.Entry<Long, ShardChange> shard : changes.entrySet()) {
      if (!changeOpen(shard.getKey(), shard.getValue())) {
        changed.add(shard.getKey(), change(shard.getKey(), shard.getValue(), lock(shard.getKey())));
      }
    }
    return changed;
  }

  private @Nullable Locked lock(long shard) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(LOCK)) {
      select.setLong(1, shard);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? new Locked(row.getInt(1), row.getBoolean(2)) : null;
      }
    }
  }

  private boolean changeOpen(long shard, ShardChange change) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(CHANGE)) {
      update.setInt(1, change.open());
      update.setInt(2, change.dead());
      int parameter = bind(update, 3, change);
      update.setLong(parameter, shard);
      update.setInt(parameter + 1, change.open());
      update.setInt(parameter + 2, change.dead());
      return update.executeUpdate() == 1;
    }
  }

  /**
   * Changes a shard that may open or close by it.
   *
   * @return 1 if it was closed and has open members now, −1 if it was open and has none any more,
   *     else 0; null if there is no such shard
   */
  private @Nullable Integer change(long shard, ShardChange change, @Nullable Locked before)
      throws SQLException {
    if (before == null) {
      return null;
    }
    int after = before.after(change);
    if (before.open() == 0 && after <= 0) {
      LOG.warn(
          "shard {} of batch {} has no open member, and a member of it has ended; was the message"
              + " enqueued without being added to the batch? Recount the batch",
          shard,
          CounterShard.batch(shard));
      return 0;
    }
    try (PreparedStatement update = connection.prepareStatement(SET)) {
      update.setInt(1, Math.max(0, after));
      int parameter = bind(update, 2, change);
      update.setLong(parameter, shard);
      update.executeUpdate();
    }
    if (before.open() == 0) {
      return 1;
    }
    return after <= 0 ? -1 : 0;
  }

  static int bind(PreparedStatement update, int first, ShardChange change) throws SQLException {
    update.setInt(first, change.total());
    update.setInt(first + 1, change.acked());
    update.setInt(first + 2, change.dead());
    update.setInt(first + 3, change.cancelled());
    Long lowest = change.first();
    for (int parameter = first + 4; parameter < first + 6; parameter++) {
      if (lowest == null) {
        update.setNull(parameter, Types.BIGINT);
      } else {
        update.setLong(parameter, lowest);
      }
    }
    return first + 6;
  }

  /**
   * Whether the shard waits for its dead letters; false if there is no such shard. It never
   * changes.
   */
  boolean holds(long shard) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HOLDS)) {
      select.setLong(1, shard);
      try (ResultSet row = select.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /**
   * Removes from each shard the member that stood for the open batch.
   *
   * @return how many shards have no open member then
   */
  int unseal(long batch, int shards) throws SQLException {
    List<Long> all = CounterShard.all(batch, shards);
    try (PreparedStatement update = connection.prepareStatement(UNSEAL.formatted(marks(shards)))) {
      bind(update, 1, all);
      update.executeUpdate();
    }
    try (PreparedStatement select = connection.prepareStatement(CLOSED.formatted(marks(shards)))) {
      bind(select, 1, all);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /**
   * The sum of the counters of all shards.
   *
   * @param locked whether this transaction has locked the shards, and may have an old snapshot
   */
  BatchCounts sum(long batch, int shards, boolean locked) throws SQLException {
    List<Long> all = CounterShard.all(batch, shards);
    String sql = SUM.formatted(marks(shards), locked ? " FOR UPDATE" : "");
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      bind(select, 1, all);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new BatchCounts(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
      }
    }
  }

  static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }

  static void bind(PreparedStatement statement, int first, Collection<Long> ids)
      throws SQLException {
    int parameter = first;
    for (long id : ids) {
      statement.setLong(parameter++, id);
    }
  }

  record Locked(int open, boolean holds) {

    int after(ShardChange change) {
      return open + change.openOf(holds);
    }

    boolean staysOpen(ShardChange change) {
      return open > 0 && after(change) > 0;
    }
  }

  static final class Changed {

    private final List<Long> missing = new ArrayList<>();
    private int opened;

    private void add(long shard, @Nullable Integer change) {
      if (change == null) {
        missing.add(shard);
      } else {
        opened += change;
      }
    }

    /** How many more shards have open members than before; below zero, how many fewer. */
    int opened() {
      return opened;
    }

    List<Long> missing() {
      return missing;
    }
  }

  /**
   * Several shards that one transaction changes, most of them equally: a group of acks decrements
   * each by one or two. One statement locks them, and one statement changes all that change equally
   * and stay open. Confined to a transaction's thread.
   */
  private static final class LockedShards {

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
            shards.locked.put(
                row.getLong(1), new ShardRows.Locked(row.getInt(2), row.getBoolean(3)));
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
    Map<Long, ShardRows.Locked> changeOpen(SortedMap<Long, ShardChange> changes)
        throws SQLException {
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
}
