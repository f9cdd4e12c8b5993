package io.rowqueue.internal.handle;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The messages that share one transaction, as seen by one of them. Confined to their thread. */
interface SharedTransaction {

  /** For a handling that has a transaction of its own. */
  SharedTransaction NONE =
      new SharedTransaction() {
        @Override
        public SavepointMark begin(StatementMonitor statements) throws SQLException {
          return statements.mark();
        }

        @Override
        public void beforeMoreThanRows(StatementMonitor statements) {
          // No other message can be affected.
        }
      };

  /**
   * The handler is about to send its first statement.
   *
   * @return the savepoint to which it can be undone; null if it cannot be undone without the others
   */
  @Nullable SavepointMark begin(StatementMonitor statements) throws SQLException;

  /**
   * The handler is about to send a statement that does more than read and write rows: one that may
   * end the transaction, or names savepoints. The messages before it are acked first.
   *
   * @throws SQLException if the other messages cannot be acked; the statement must not be sent
   */
  void beforeMoreThanRows(StatementMonitor statements) throws SQLException;
}
