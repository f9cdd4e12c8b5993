package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One call of a producer of batches or chains, in somebody's transaction. What fails leaves the
 * transaction as it was before the call.
 *
 * @param offering enqueues in that transaction
 */
record MemberSession(
    Connection connection,
    @Nullable AfterCommit notifier,
    Function<List<NewMessage>, List<EnqueueResult>> offering) {

  /** What a call does. */
  interface Work<T> {
    T in(MemberSession session, BatchCounters members) throws SQLException;
  }

  /** In the transaction of {@code transaction}. */
  static <T> T in(DSLContext transaction, MessageProducer producer, Work<T> work) {
    return CallersTransaction.on(
        transaction,
        connection ->
            new MemberSession(
                    connection,
                    AfterCommit.of(transaction.configuration()),
                    messages -> producer.enqueueAllWithResults(transaction, messages))
                .run(work));
  }

  /** In the transaction of {@code connection}. */
  static <T> T in(Connection connection, MessageProducer producer, Work<T> work) {
    return new MemberSession(
            connection,
            AfterCommit.of(connection),
            messages -> producer.enqueueAllWithResults(connection, messages))
        .run(work);
  }

  /** In RowQueue's own, which is repeated as a whole. */
  static <T> T in(Transaction transaction, MessageProducer producer, Work<T> work)
      throws SQLException {
    MemberSession session =
        new MemberSession(
            transaction.connection(),
            transaction.afterCommit(),
            messages -> producer.enqueueAllWithResults(transaction.dsl(), messages));
    return work.in(session, session.members());
  }

  private BatchCounters members() {
    return BatchCounters.in(connection, notifier);
  }

  private <T> T run(Work<T> work) {
    try {
      CallersTransaction.check(connection);
      Savepoint before = connection.setSavepoint();
      T result = undone(before, work);
      connection.releaseSavepoint(before);
      return result;
    } catch (SQLException e) {
      throw new EnqueueException(
          "nothing of a batch or chain was written: %s%s"
              .formatted(e.getMessage(), ServerAnswer.advice(e)),
          e);
    }
  }

  private <T> T undone(Savepoint before, Work<T> work) throws SQLException {
    try {
      return work.in(this, members());
    } catch (SQLException | RuntimeException e) {
      try {
        connection.rollback(before);
      } catch (SQLException rollback) {
        e.addSuppressed(rollback);
      }
      throw e;
    }
  }
}
