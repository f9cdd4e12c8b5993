package io.rowqueue.internal.batch;

import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.operate.BatchCounts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
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
    List<Object> values = new ArrayList<>();
    for (long shard : CounterShard.all(batch, shards)) {
      values.add(shard);
      values.add(holds);
    }
    Jdbc.update(connection, INSERT.formatted(rows), values);
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
    List<Locked> locked =
        Jdbc.rows(connection, LOCK, row -> new Locked(row.getInt(1), row.getBoolean(2)), shard);
    return locked.isEmpty() ? null : locked.get(0);
  }

  private boolean changeOpen(long shard, ShardChange change) throws SQLException {
    int open = change.open();
    int dead = change.dead();
    return Jdbc.update(connection, CHANGE, open, dead, change.counts(), shard, open, dead) == 1;
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
    Jdbc.update(connection, SET, Math.max(0, after), change.counts(), shard);
    if (before.open() == 0) {
      return 1;
    }
    return after <= 0 ? -1 : 0;
  }

  /**
   * Whether the shard waits for its dead letters; false if there is no such shard. It never
   * changes.
   */
  boolean holds(long shard) throws SQLException {
    return Jdbc.rows(connection, HOLDS, row -> row.getBoolean(1), shard).contains(true);
  }

  /**
   * Removes from each shard the member that stood for the open batch.
   *
   * @return how many shards have no open member then
   */
  int unseal(long batch, int shards) throws SQLException {
    List<Long> all = CounterShard.all(batch, shards);
    Jdbc.update(connection, UNSEAL.formatted(Jdbc.marks(shards)), all);
    return Jdbc.rows(connection, CLOSED.formatted(Jdbc.marks(shards)), row -> row.getInt(1), all)
        .get(0);
  }

  /**
   * The sum of the counters of all shards.
   *
   * @param locked whether this transaction has locked the shards, and may have an old snapshot
   */
  BatchCounts sum(long batch, int shards, boolean locked) throws SQLException {
    List<Long> all = CounterShard.all(batch, shards);
    String sql = SUM.formatted(Jdbc.marks(shards), locked ? " FOR UPDATE" : "");
    return Jdbc.rows(connection, sql, ShardRows::counts, all).get(0);
  }

  private static BatchCounts counts(ResultSet row) throws SQLException {
    return new BatchCounts(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
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
      String lock = LOCK.formatted(Jdbc.marks(ids.size()));
      Jdbc.rows(
          connection,
          lock,
          row ->
              shards.locked.put(
                  row.getLong(1), new ShardRows.Locked(row.getInt(2), row.getBoolean(3))),
          ids);
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
      String change = CHANGE.formatted(Jdbc.marks(ids.size()));
      Jdbc.update(connection, change, alike.open, alike.change.counts(), ids);
    }

    /** Shards with the same change and the same count are updated together. */
    private record Alike(ShardChange change, int open) {}
  }
}
