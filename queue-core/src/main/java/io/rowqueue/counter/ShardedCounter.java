package io.rowqueue.counter;

import java.sql.Connection;
import org.jooq.DSLContext;

/**
 * Hot values, such as the stock of an article or a budget, each spread over slots so that many
 * writers do not wait for one row. A counter is never below zero. Thread-safe; make one and keep
 * it, for all counters: it remembers how many slots each has. Handlers may have it injected.
 *
 * <p>Every method runs in the transaction of the caller, and what it has done exists if that
 * commits. Usually it is one statement on one slot. A take that this slot cannot serve locks all
 * slots, in their order, until the transaction ends, and evens them out; so the last few of a
 * counter are taken by one transaction after the other.
 *
 * <p>All of a transaction's takes and adds of one counter use one slot, so that two transactions do
 * not wait for each other crosswise. Several counters in one transaction are to be used in the same
 * order everywhere, such as that of their names. A deadlock is reported as any other database error
 * and means, as always, to run the whole transaction again.
 *
 * <p>Right in READ COMMITTED and in REPEATABLE READ, and with several writers on Group Replication
 * and Galera: whoever takes writes what it takes from. What is refused in REPEATABLE READ may be
 * refused for what the transaction's snapshot shows, though others have added since.
 *
 * <p>A counter has no owner: what a process has taken when it dies stays taken if the transaction
 * has committed. It limits amounts, not how many do something at once.
 *
 * <p>Names are 1 to 128 printable ASCII characters without a space at either end. Every method
 * throws {@link IllegalArgumentException} for another name or amount, {@link
 * UnknownCounterException} if there is no such counter, unless it says otherwise, {@link
 * IllegalStateException} if the connection commits by itself, and {@link CounterException} if the
 * database refuses.
 */
public interface ShardedCounter {

  /** As many slots as suit a dozen writers. */
  int SLOTS = 10;

  /** More would make what needs all of them too dear. */
  int MOST_SLOTS = 1_000;

  /** Knows nothing of any counter yet. */
  static ShardedCounter create() {
    return new JdbcShardedCounter();
  }

  /**
   * Makes a counter of nothing, unless there is one of that name, whatever its slots.
   *
   * @param slots 1 to {@value #MOST_SLOTS}; as many as will write at once, {@link #SLOTS} say
   * @return whether it was made now
   */
  boolean make(Connection transaction, String name, int slots);

  /** The same in the transaction that {@code transaction} runs in. */
  default boolean make(DSLContext transaction, String name, int slots) {
    return transaction.connectionResult(connection -> make(connection, name, slots));
  }

  /**
   * Adds to the counter.
   *
   * @param amount at least 1
   */
  void add(Connection transaction, String name, long amount);

  /** The same in the transaction that {@code transaction} runs in. */
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

  /** The same in the transaction that {@code transaction} runs in. */
  default boolean take(DSLContext transaction, String name, long amount) {
    return transaction.connectionResult(connection -> take(connection, name, amount));
  }

  /**
   * Takes what there is, but not more than {@code amount}.
   *
   * @param amount at least 1
   * @return how much was taken; 0 if there is nothing
   */
  long takeUpTo(Connection transaction, String name, long amount);

  /** The same in the transaction that {@code transaction} runs in. */
  default long takeUpTo(DSLContext transaction, String name, long amount) {
    return transaction.connectionResult(connection -> takeUpTo(connection, name, amount));
  }

  /** How much there is, as the transaction sees it; locks nothing. */
  long sum(Connection transaction, String name);

  /** The same in the transaction that {@code transaction} runs in. */
  default long sum(DSLContext transaction, String name) {
    return transaction.connectionResult(connection -> sum(connection, name));
  }

  /**
   * Gives the counter so many slots and evens them out; everybody else waits until the transaction
   * ends. There is no need for it but another number of slots: takes even out what has become
   * uneven.
   *
   * @param slots 1 to {@value #MOST_SLOTS}
   */
  void spread(Connection transaction, String name, int slots);

  /** The same in the transaction that {@code transaction} runs in. */
  default void spread(DSLContext transaction, String name, int slots) {
    transaction.connection(connection -> spread(connection, name, slots));
  }

  /**
   * Deletes the counter and all that it holds.
   *
   * @return whether there was one
   */
  boolean delete(Connection transaction, String name);

  /** The same in the transaction that {@code transaction} runs in. */
  default boolean delete(DSLContext transaction, String name) {
    return transaction.connectionResult(connection -> delete(connection, name));
  }
}
