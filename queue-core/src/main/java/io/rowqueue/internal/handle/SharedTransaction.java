package io.rowqueue.internal.handle;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The handlings that share one transaction, as seen by one of them. Confined to their thread. */
interface SharedTransaction {

  /** Those of a handling that has its transaction for itself. */
  SharedTransaction NONE =
      new SharedTransaction() {
        @Override
        public SavepointMark begin(StatementMonitor watch) throws SQLException {
          return watch.mark();
        }

        @Override
        public void afterStatements() {
          // There is nobody whom it could harm.
        }
      };

  /**
   * The handler is about to send its first statement.
   *
   * @return the mark to which it can be undone; null if it cannot be undone without its neighbours
   */
  @Nullable SavepointMark begin(StatementMonitor watch) throws SQLException;

  /**
   * The handler is about to send what does more than to read and write rows: what may end the
   * transaction, or names savepoints in it.
   *
   * @throws SQLException if it must not, for its neighbours' sake
   */
  void afterStatements() throws SQLException;
}
