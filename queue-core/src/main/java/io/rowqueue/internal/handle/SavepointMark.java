package io.rowqueue.internal.handle;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A savepoint that shows later whether its transaction is still open. Confined to the transaction's
 * thread.
 *
 * @param connection of the transaction
 * @param name random, so that no SQL text of a handler can set it again after a commit
 */
record SavepointMark(Connection connection, String name) {

  private static final int NO_SUCH_SAVEPOINT = 1305;

  /** Sets a savepoint. */
  static SavepointMark in(Connection connection) throws SQLException {
    SavepointMark mark =
        new SavepointMark(
            connection, "rowqueue_" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    try (Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT " + mark.name);
    }
    return mark;
  }

  /** Undoes the writes since; false if the transaction has ended since. */
  boolean rollBackTo() throws SQLException {
    return run("ROLLBACK TO SAVEPOINT ");
  }

  /** Keeps the writes since; false if the transaction has ended since. */
  boolean release() throws SQLException {
    return run("RELEASE SAVEPOINT ");
  }

  private boolean run(String verb) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(verb + name);
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
        return false;
      }
      throw e;
    }
  }
}
