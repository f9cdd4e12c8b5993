package io.rowqueue.internal.database;

/**
 * What happens inside one transaction. It may run several times, each time in a fresh transaction,
 * so it leaves nothing behind but its writes to that transaction.
 *
 * @param <T> what it finds out
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
