package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.util.Set;

/**
 * Tells a server that has no room for a write, on its disk or in a tablespace with a limit, from
 * other failures. It is nobody's fault who writes, and passes when somebody makes room.
 */
final class DiskFull {

  private static final int TABLE_FULL = 1114;

  private static final Set<Integer> CODES =
      Set.of(
          1021, // disk full
          TABLE_FULL);

  /** Of files that are no tables: the code is another for each way to write one. */
  private static final String NO_SPACE = "No space left on device";

  /** A table of a query's own, too large for what a query may have. */
  private static final String TEMPORARY = "#sql";

  private DiskFull() {}

  /** Whether {@code error} is the answer of a server without room. */
  static boolean is(SQLException error) {
    String words = error.getMessage() == null ? "" : error.getMessage();
    boolean ofQuery = error.getErrorCode() == TABLE_FULL && words.contains(TEMPORARY);
    return (CODES.contains(error.getErrorCode()) && !ofQuery) || words.contains(NO_SPACE);
  }
}
