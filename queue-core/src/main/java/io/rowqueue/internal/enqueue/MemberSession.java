package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.Transition;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * What a call of a producer of batches or chains writes. If it fails, the transaction is as it was
 * before the call.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
interface MemberSession<T> {

  /**
   * Writes.
   *
   * @param within for the messages
   */
  T write(TxSource within, BatchCounters members) throws SQLException;

  /** Writes in a transaction of {@code source}. */
  default T in(TxSource source, OwnTransactions own, Transition transition, String what) {
    return source.run(
        new TxSource.Call(own, transition, what, "nothing of a batch or chain was written"),
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
