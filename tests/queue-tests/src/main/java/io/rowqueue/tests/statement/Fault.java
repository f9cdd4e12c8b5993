package io.rowqueue.tests.statement;

import com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException;
import io.rowqueue.tests.statement.Tap.Sent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * How a server refuses a statement that meets another transaction. {@code GenuineFaultIT} holds
 * what is thrown here to what the driver throws when the servers do it themselves.
 */
public enum Fault {
  /** The server has rolled the whole transaction back. */
  DEADLOCK(1213, "Deadlock found when trying to get lock; try restarting transaction") {
    @Override
    public void happensTo(Connection connection) throws SQLException {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    }
  },

  /** The server has undone the statement only; whatever was written before is still there. */
  LOCK_WAIT_TIMEOUT(1205, "Lock wait timeout exceeded; try restarting transaction") {
    @Override
    public void happensTo(Connection connection) {}
  };

  private static final String STATE = "40001";

  private final int code;
  private final String message;

  Fault(int code, String message) {
    this.code = code;
    this.message = message;
  }

  /** The server's number for it. */
  public int code() {
    return code;
  }

  /** What the server does to the transaction of {@code connection}. */
  public abstract void happensTo(Connection connection) throws SQLException;

  /** Whether it can hit {@code sent}. */
  public boolean hits(Sent sent) {
    return !sent.isRollback() && (this == DEADLOCK || sent.mayWait());
  }

  /** What the driver throws. */
  public SQLException exception() {
    return new MySQLTransactionRollbackException(message, STATE, code);
  }

  /**
   * Does to {@code connection} what the server does.
   *
   * @throws SQLException what the driver throws then, always
   */
  public void injection(Connection connection) throws SQLException {
    happensTo(connection);
    throw exception();
  }

  /** As people write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
