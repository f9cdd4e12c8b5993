package io.rowqueue.internal.handle;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;
import org.jooq.exception.DataAccessException;

/**
 * Maps jOOQ's {@code transaction(...)} inside a handler to a savepoint of the message's
 * transaction, because jOOQ's own provider would commit. Confined to the handler's thread.
 */
final class SavepointTransactions implements TransactionProvider {

  private final Connection connection;
  private final Deque<Savepoint> open = new ArrayDeque<>();

  SavepointTransactions(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void begin(TransactionContext context) {
    run("begin", () -> open.push(connection.setSavepoint()));
  }

  @Override
  public void commit(TransactionContext context) {
    run("commit", () -> connection.releaseSavepoint(open.pop()));
  }

  @Override
  public void rollback(TransactionContext context) {
    run("rollback", () -> connection.rollback(open.pop()));
  }

  private static void run(String what, SqlAction action) {
    try {
      action.run();
    } catch (SQLException e) {
      throw new DataAccessException("nested transaction: " + what + " failed", e);
    }
  }

  private interface SqlAction {
    void run() throws SQLException;
  }
}
