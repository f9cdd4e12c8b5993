package io.rowqueue.worker.dashboard;

import java.sql.SQLException;
import java.util.Set;

/** Tells a statement that the server has ended, since it took too long, from other failures. */
final class StatementTimeout {

  private static final Set<Integer> CODES =
      Set.of(
          3024, // MySQL: max_execution_time
          1969); // MariaDB: max_statement_time

  private StatementTimeout() {}

  static boolean isIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException error && CODES.contains(error.getErrorCode())) {
        return true;
      }
    }
    return false;
  }
}
