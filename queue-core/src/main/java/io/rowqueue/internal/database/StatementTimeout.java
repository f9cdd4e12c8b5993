package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.util.Set;

/** Recognizes a read that the server ended because it exceeded the statement timeout. */
public final class StatementTimeout {

  private static final Set<Integer> CODES =
      Set.of(
          3024, // MySQL: max_execution_time
          1969); // MariaDB: max_statement_time

  private StatementTimeout() {}

  /** Whether the server has ended a statement of this session because of the timeout. */
  public static boolean isIn(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    return error != null && CODES.contains(error.getErrorCode());
  }
}
