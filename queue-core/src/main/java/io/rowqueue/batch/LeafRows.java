package io.rowqueue.batch;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The statements on leaves. This is JDBC where the rest of the house is jOOQ: one short statement
 * for most messages of a batch. Each goes by whole primary keys, since it may run in a producer's
 * REPEATABLE READ. Confined to a transaction's thread.
 */
final class LeafRows {

  private static final Logger LOG = LoggerFactory.getLogger(LeafRows.class);

  private static final String COUNTS =
      "total = total + ?, acked = acked + ?, dead = dead + ?, cancelled = cancelled + ?,"
          + " first_message = COALESCE(LEAST(first_message, ?), first_message, ?)";

  /** While the leaf stays open, that is all. */
  private static final String CHANGE =
      "UPDATE queue_batch_leaf SET open_members = open_members + ? - ? * (1 - holds), "
          + COUNTS
          + " WHERE id = ? AND open_members > 0 AND open_members + ? - ? * (1 - holds) > 0";

  private static final String LOCK =
      "SELECT open_members, holds FROM queue_batch_leaf WHERE id = ? FOR UPDATE";

  private static final String SET =
      "UPDATE queue_batch_leaf SET open_members = ?, " + COUNTS + " WHERE id = ?";

  private static final String INSERT =
      "INSERT INTO queue_batch_leaf (id, holds, open_members) VALUES %s";

  private static final String HOLDS = "SELECT holds FROM queue_batch_leaf WHERE id = ?";

  private static final String UNSEAL =
      "UPDATE queue_batch_leaf FORCE INDEX (PRIMARY) SET open_members = open_members - 1 WHERE id"
          + " IN (%s) AND open_members > 0";

  private static final String CLOSED =
      "SELECT COUNT(*) FROM queue_batch_leaf FORCE INDEX (PRIMARY) WHERE id IN (%s) AND"
          + " open_members = 0 FOR UPDATE";

  private static final String SUM =
      "SELECT COALESCE(SUM(total), 0), COALESCE(SUM(acked), 0), COALESCE(SUM(dead), 0),"
          + " COALESCE(SUM(cancelled), 0) FROM queue_batch_leaf FORCE INDEX (PRIMARY) WHERE id IN"
          + " (%s)%s";

  private final Connection connection;

  LeafRows(Connection connection) {
    this.connection = connection;
  }

  /**
   * Makes the leaves of a batch, each with one open member, the seal's.
   *
   * @param holds whether a dead letter is unsettled
   */
  void insert(long batch, int leaves, boolean holds) throws SQLException {
    String rows = String.join(", ", Collections.nCopies(leaves, "(?, ?, 1)"));
    try (PreparedStatement insert = connection.prepareStatement(INSERT.formatted(rows))) {
      int parameter = 1;
      for (long leaf : Leaf.all(batch, leaves)) {
        insert.setLong(parameter++, leaf);
        insert.setBoolean(parameter++, holds);
      }
      insert.executeUpdate();
    }
  }

  /**
   * Writes {@code change}.
   *
   * @return 1 if the leaf was closed and has open members now, −1 if it was open and has none any
   *     more, else 0; null if there is no such leaf
   */
  @Nullable Integer change(long leaf, LeafChange change) throws SQLException {
    if (changeOpen(leaf, change)) {
      return 0;
    }
    try (PreparedStatement select = connection.prepareStatement(LOCK)) {
      select.setLong(1, leaf);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        return change(leaf, change, row.getInt(1), row.getBoolean(2));
      }
    }
  }

  private boolean changeOpen(long leaf, LeafChange change) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(CHANGE)) {
      update.setInt(1, change.open());
      update.setInt(2, change.dead());
      int parameter = bind(update, 3, change);
      update.setLong(parameter, leaf);
      update.setInt(parameter + 1, change.open());
      update.setInt(parameter + 2, change.dead());
      return update.executeUpdate() == 1;
    }
  }

  private int change(long leaf, LeafChange change, int open, boolean holds) throws SQLException {
    int after = open + change.openOf(holds);
    if (open == 0 && after <= 0) {
      LOG.warn(
          "leaf {} of batch {} has no open member, and one of it has ended; was it enqueued without"
              + " being added? Recount the batch",
          leaf,
          Leaf.batch(leaf));
      return 0;
    }
    try (PreparedStatement update = connection.prepareStatement(SET)) {
      update.setInt(1, Math.max(0, after));
      int parameter = bind(update, 2, change);
      update.setLong(parameter, leaf);
      update.executeUpdate();
    }
    if (open == 0) {
      return 1;
    }
    return after <= 0 ? -1 : 0;
  }

  private static int bind(PreparedStatement update, int first, LeafChange change)
      throws SQLException {
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

  /** Whether the leaf waits for its dead letters; false if there is none. It never changes. */
  boolean holds(long leaf) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HOLDS)) {
      select.setLong(1, leaf);
      try (ResultSet row = select.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /**
   * Takes the seal's member out of each leaf.
   *
   * @return how many leaves have no open member then
   */
  int unseal(long batch, int leaves) throws SQLException {
    List<Long> all = Leaf.all(batch, leaves);
    try (PreparedStatement update = connection.prepareStatement(UNSEAL.formatted(marks(all)))) {
      bind(update, all);
      update.executeUpdate();
    }
    try (PreparedStatement select = connection.prepareStatement(CLOSED.formatted(marks(all)))) {
      bind(select, all);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /**
   * What has become of all members.
   *
   * @param locked whether this transaction has locked the leaves, and may have an old snapshot
   */
  BatchCounts sum(long batch, int leaves, boolean locked) throws SQLException {
    List<Long> all = Leaf.all(batch, leaves);
    String sql = SUM.formatted(marks(all), locked ? " FOR UPDATE" : "");
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      bind(select, all);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new BatchCounts(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
      }
    }
  }

  private static String marks(List<Long> ids) {
    return String.join(", ", Collections.nCopies(ids.size(), "?"));
  }

  private static void bind(PreparedStatement statement, List<Long> ids) throws SQLException {
    for (int i = 0; i < ids.size(); i++) {
      statement.setLong(i + 1, ids.get(i));
    }
  }
}
