package io.rowqueue.internal.database;

/**
 * The body of one transaction. It may run several times, each time in a new transaction, so its
 * only side effects are writes in that transaction.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface TransactionalWork<T> {

  /**
   * Reads and writes; never commits or rolls back.
   *
   * @throws Exception to roll everything back
   */
  T in(Transaction transaction) throws Exception;
}
