package io.rowqueue.proof.statement;

import java.util.Locale;

/**
 * A statement on its way to the server.
 *
 * @param connection the number of its connection; one that was opened later has a higher one
 * @param sql its text; what JDBC has methods for, such as COMMIT, is in capitals
 */
public record Sent(int connection, String sql) {

  static final String COMMIT = "COMMIT";
  static final String ROLLBACK = "ROLLBACK";
  static final String SAVEPOINT = "SAVEPOINT";
  static final String RELEASE = "RELEASE SAVEPOINT";

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
  boolean mayWait() {
    return !isCommit() && !begins(SAVEPOINT) && !begins(RELEASE) && !begins(ROLLBACK);
  }
}
