package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.Transition;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The writes of one call of a producer of batches or chains. A failure undoes all of them.
 *
 * @param <T> the result
 */
@FunctionalInterface
interface MemberSession<T> {

  /**
   * Writes in an open transaction.
   *
   * @param within the transaction, for enqueuing messages
   */
  T write(TxSource within, BatchCounters members) throws SQLException;

  /**
   * Runs {@link #write} in a transaction of {@code source}.
   *
   * @param what describes the messages in an error: "a batch and 3 messages"
   */
  default T in(TxSource source, OwnTransactions own, Transition transition, String what) {
    return source.run(
        new TxSource.Call(own, transition, what, "no part of the batch or chain was written"),
        session -> {
          CheckedFunction<Connection, T> all =
              connection ->
                  write(session.within(), BatchCounters.in(connection, session.afterCommit()));
          return source.isOwn()
              ? all.apply(session.connection())
              : CallersTransaction.allOrNone(session.connection(), all);
        });
  }
}
