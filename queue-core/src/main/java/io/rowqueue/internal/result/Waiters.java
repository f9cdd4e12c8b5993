package io.rowqueue.internal.result;

import io.rowqueue.internal.database.Transactions;

/** The processes that await results, as workers find them. Thread-safe. */
public interface Waiters {

  /**
   * Writes that {@code waiter} sleeps on {@code connection}, for a minute to come.
   *
   * @param server which server the connection leads to, as {@link
   *     io.rowqueue.internal.reap.ServerMarks} names it
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  void register(String waiter, long connection, String server);

  /** Those that {@code transactions} reach. */
  static Waiters of(Transactions transactions) {
    return new JooqWaiters(transactions);
  }
}
