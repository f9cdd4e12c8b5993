package io.rowqueue.tests.statement;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** Hears of every statement before it is sent, and of every connection before it is taken. */
public interface Tap {

  /** Lets a connection be had, or throws why it cannot. */
  default void opening() throws SQLException {}

  /** Lets it pass, or throws what its sender is told in place of the server's answer. */
  default void before(Sent sent, Connection real) throws SQLException {}

  /** Is told of each that failed. */
  default void failed(SQLException failure) {}

  /**
   * A statement on its way to the server.
   *
   * @param connection the number of its connection; one that was opened later has a higher one
   * @param sql its text; what JDBC has methods for, such as COMMIT, is in capitals
   */
  public record Sent(int connection, String sql) {

    public static final String COMMIT = "COMMIT";
    public static final String ROLLBACK = "ROLLBACK";
    public static final String SAVEPOINT = "SAVEPOINT";
    public static final String RELEASE = "RELEASE SAVEPOINT";

    /** Whether its text begins with {@code words}, in capitals or not. */
    public boolean begins(String words) {
      return sql.toUpperCase(Locale.ROOT).startsWith(words.toUpperCase(Locale.ROOT));
    }

    /** Whether it is one. */
    public boolean isCommit() {
      return sql.equals(COMMIT);
    }

    /** Whether it is one. */
    public boolean isRollback() {
      return sql.equals(ROLLBACK);
    }

    /** Whether it may stand before a lock. */
    public boolean mayWait() {
      return !isCommit() && !begins(SAVEPOINT) && !begins(RELEASE) && !begins(ROLLBACK);
    }
  }
}
