package io.rowqueue.counter;

import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Statements on one counter's rows, in one transaction. They use JDBC, unlike the rest of the code,
 * because most calls are one short statement that takes the server less time than rendering it by
 * jOOQ. Confined to one thread.
 *
 * <p>Every statement on several slots locks them in the order of the primary key, so that
 * transactions that lock several never deadlock.
 */
final class CounterShards {

  private static final String CHANGE =
      "UPDATE queue_counter SET amount = amount + ? WHERE name = ? AND slot = ? AND amount >= ?";
  private static final String READ =
      "SELECT slot, amount FROM queue_counter FORCE INDEX (PRIMARY) WHERE name = ? ORDER BY slot"
          + SessionSettings.ALL_ROWS;
  private static final String LOCK = READ + " FOR UPDATE";
  private static final String EXISTS =
      "SELECT 1 FROM queue_counter FORCE INDEX (PRIMARY) WHERE name = ? AND slot = 0";

  /** The remainder goes to the first slots, one each. */
  private static final String EVEN_OUT =
      "UPDATE queue_counter FORCE INDEX (PRIMARY) SET amount = ? + (slot < ?) WHERE name = ?";

  private static final String INSERT =
      "INSERT INTO queue_counter (name, slot, amount) VALUES (?, ?, 0)";
  private static final String DELETE =
      "DELETE c FROM queue_counter c FORCE INDEX (PRIMARY) WHERE c.name = ? AND c.slot >= ?";

  private static final int DUPLICATE_KEY = 1062;

  private final Connection connection;
  private final String name;

  CounterShards(Connection connection, String name) {
    this.connection = connection;
    this.name = name;
  }

  /**
   * The slot of {@code slots} that the transaction uses: random, and the same for every call,
   * although a pool returns another connection object each time. Handlers that share a commit share
   * the transaction's notifier, so they use one slot.
   */
  int own(int slots) {
    AfterCommit shared = AfterCommit.of(connection);
    int transaction = System.identityHashCode(shared == null ? connection : shared);
    return Math.floorMod(transaction + name.hashCode(), slots);
  }

  /**
   * Adds {@code delta}, which may be negative, to one slot.
   *
   * @return false, and nothing has changed, if the slot's amount is too low, or it does not exist
   */
  boolean change(int slot, long delta) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(CHANGE)) {
      update.setLong(1, delta);
      update.setString(2, name);
      update.setInt(3, slot);
      update.setLong(4, -delta);
      return update.executeUpdate() == 1;
    }
  }

  /** The amount of each slot, read without locks. */
  List<Long> read() throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(READ)) {
      return amounts(select);
    }
  }

  /** The amount of each slot, locked until the transaction ends. */
  List<Long> lock() throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(LOCK)) {
      return amounts(select);
    }
  }

  private List<Long> amounts(PreparedStatement select) throws SQLException {
    select.setString(1, name);
    List<Long> amounts = new ArrayList<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        if (rows.getInt(1) != amounts.size()) {
          throw new IllegalStateException(
              "counter '%s' has no slot %d, but has higher ones; insert it with amount 0"
                  .formatted(name, amounts.size()));
        }
        amounts.add(rows.getLong(2));
      }
    }
    if (amounts.isEmpty()) {
      throw new UnknownCounterException(name);
    }
    return amounts;
  }

  /** Distributes {@code sum} evenly over all {@code slots} slots, which are locked. */
  void evenOut(int slots, long sum) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(EVEN_OUT)) {
      update.setLong(1, sum / slots);
      update.setLong(2, sum % slots);
      update.setString(3, name);
      update.executeUpdate();
    }
  }

  /** Whether the counter exists, read without locks. */
  boolean exist() throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(EXISTS)) {
      select.setString(1, name);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  /**
   * Inserts the first slot, which serializes concurrent creations of one counter.
   *
   * @return false if it exists
   */
  boolean insertFirst() throws SQLException {
    try {
      insert(0, 1);
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() == DUPLICATE_KEY) {
        return false;
      }
      throw e;
    }
  }

  /** Inserts the slots from {@code from} to below {@code to}, with amount 0. */
  void insert(int from, int to) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (int slot = from; slot < to; slot++) {
        insert.setString(1, name);
        insert.setInt(2, slot);
        insert.executeUpdate();
      }
    }
  }

  /**
   * Deletes slot {@code from} and those above, whatever their amounts.
   *
   * @return how many
   */
  int delete(int from) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
      delete.setString(1, name);
      delete.setInt(2, from);
      return delete.executeUpdate();
    }
  }
}
