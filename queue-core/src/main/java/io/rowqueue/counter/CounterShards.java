package io.rowqueue.counter;

import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
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
      "DELETE c FROM queue_counter c FORCE INDEX (PRIMARY) WHERE c.name = ? AND c.slot >= ?"
          + " AND c.amount IS NOT NULL";

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
    return Jdbc.update(connection, CHANGE, delta, name, slot, -delta) == 1;
  }

  /** The amount of each slot, read without locks. */
  List<Long> read() throws SQLException {
    return amounts(READ);
  }

  /** The amount of each slot, locked until the transaction ends. */
  List<Long> lock() throws SQLException {
    return amounts(LOCK);
  }

  private List<Long> amounts(String sql) throws SQLException {
    List<Long> amounts = new ArrayList<>();
    Jdbc.rows(connection, sql, row -> amounts.add(amount(row, amounts.size())), name);
    if (amounts.isEmpty()) {
      throw new UnknownCounterException(name);
    }
    return amounts;
  }

  private long amount(ResultSet row, int slot) throws SQLException {
    if (row.getInt(1) != slot) {
      throw new IllegalStateException(
          "counter '%s' has no slot %d, but has higher ones; insert it with amount 0"
              .formatted(name, slot));
    }
    return row.getLong(2);
  }

  /** Distributes {@code sum} evenly over all {@code slots} slots, which are locked. */
  void evenOut(int slots, long sum) throws SQLException {
    Jdbc.update(connection, EVEN_OUT, sum / slots, sum % slots, name);
  }

  /** Whether the counter exists, read without locks. */
  boolean exist() throws SQLException {
    return !Jdbc.rows(connection, EXISTS, row -> true, name).isEmpty();
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
    for (int slot = from; slot < to; slot++) {
      Jdbc.update(connection, INSERT, name, slot);
    }
  }

  /**
   * Deletes slot {@code from} and those above, whatever their amounts.
   *
   * @return how many
   */
  int delete(int from) throws SQLException {
    return Jdbc.update(connection, DELETE, name, from);
  }
}
