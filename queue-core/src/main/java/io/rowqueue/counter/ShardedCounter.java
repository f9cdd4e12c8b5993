package io.rowqueue.counter;

import java.sql.Connection;
import org.jooq.DSLContext;

/**
 * Counters for hot values, such as the stock of an article or a budget, each split into slots so
 * that many writers do not wait for one row. A counter is never below zero. Thread-safe. Create one
 * instance and reuse it for all counters: it caches the number of slots of each. Handlers may have
 * it injected.
 *
 * <p>Every method runs in the caller's transaction, and its changes exist if that commits. Usually
 * it is one statement on one slot. A take for which that slot has too little locks all slots, in
 * their order, until the transaction ends, and evens them out; so the last units of a counter are
 * taken by one transaction after the other.
 *
 * <p>All takes and adds of a transaction on one counter use one slot, so that two transactions do
 * not deadlock. Use several counters in one transaction in the same order everywhere, for example
 * that of their names. A deadlock is reported like any other database error; repeat the whole
 * transaction then.
 *
 * <p>Correct in READ COMMITTED and in REPEATABLE READ, and with several writers on Group
 * Replication and Galera, because a take writes the rows that it reads. In REPEATABLE READ a take
 * may be refused because of the transaction's old snapshot, although other transactions have added
 * since.
 *
 * <p>A counter has no owner: an amount taken by a committed transaction stays taken if the process
 * dies. It limits amounts, not concurrency.
 *
 * <p>Names are 1 to 128 printable ASCII characters without a space at either end. Every method
 * throws {@link IllegalArgumentException} for another name or amount, {@link
 * UnknownCounterException} if there is no such counter, unless it says otherwise, {@link
 * IllegalStateException} if the connection is in auto-commit mode, and {@link CounterException} if
 * the database fails.
 */
public interface ShardedCounter {

  /** Suitable for a dozen writers. */
  int SLOTS = 10;

  /** With more, operations on all slots would be too expensive. */
  int MOST_SLOTS = 1_000;

  /** Creates an instance with an empty cache. */
  static ShardedCounter create() {
    return new JdbcShardedCounter();
  }

  /**
   * Creates a counter with amount 0, unless the name exists, with whatever slots.
   *
   * @param shards 1 to {@value #MOST_SLOTS}; about the number of concurrent writers, for example
   *     {@link #SLOTS}
   * @return whether it was created by this call
   */
  boolean make(Connection transaction, String name, int shards);

  /** Like the other {@code make}, in the transaction of {@code transaction}. */
  default boolean make(DSLContext transaction, String name, int shards) {
    return transaction.connectionResult(connection -> make(connection, name, shards));
  }

  /**
   * Adds to the counter.
   *
   * @param amount at least 1
   */
  void add(Connection transaction, String name, long amount);

  /** Like the other {@code add}, in the transaction of {@code transaction}. */
  default void add(DSLContext transaction, String name, long amount) {
    transaction.connection(connection -> add(connection, name, amount));
  }

  /**
   * Takes all of {@code amount}, or nothing.
   *
   * @param amount at least 1
   * @return false, and nothing is taken, if there is less
   */
  boolean take(Connection transaction, String name, long amount);

  /** Like the other {@code take}, in the transaction of {@code transaction}. */
  default boolean take(DSLContext transaction, String name, long amount) {
    return transaction.connectionResult(connection -> take(connection, name, amount));
  }

  /**
   * Takes what is available, but at most {@code amount}.
   *
   * @param amount at least 1
   * @return how much was taken; 0 if nothing is available
   */
  long takeUpTo(Connection transaction, String name, long amount);

  /** Like the other {@code takeUpTo}, in the transaction of {@code transaction}. */
  default long takeUpTo(DSLContext transaction, String name, long amount) {
    return transaction.connectionResult(connection -> takeUpTo(connection, name, amount));
  }

  /** The counter's amount, as the transaction sees it; takes no locks. */
  long sum(Connection transaction, String name);

  /** Like the other {@code sum}, in the transaction of {@code transaction}. */
  default long sum(DSLContext transaction, String name) {
    return transaction.connectionResult(connection -> sum(connection, name));
  }

  /**
   * Changes the number of slots and evens them out; all other transactions wait until this one
   * ends. Only needed to change the number of slots: takes even out imbalances.
   *
   * @param shards 1 to {@value #MOST_SLOTS}
   */
  void reshard(Connection transaction, String name, int shards);

  /** Like the other {@code spread}, in the transaction of {@code transaction}. */
  default void reshard(DSLContext transaction, String name, int shards) {
    transaction.connection(connection -> reshard(connection, name, shards));
  }

  /**
   * Deletes the counter and its amount.
   *
   * @return whether it existed
   */
  boolean delete(Connection transaction, String name);

  /** Like the other {@code delete}, in the transaction of {@code transaction}. */
  default boolean delete(DSLContext transaction, String name) {
    return transaction.connectionResult(connection -> delete(connection, name));
  }
}
