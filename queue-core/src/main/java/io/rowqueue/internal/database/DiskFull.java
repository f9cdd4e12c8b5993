package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.util.Set;

/**
 * Recognizes a write that failed because the server has no space left, on its disk or in a limited
 * tablespace. The statement is not at fault, and the failure ends when space is freed.
 */
final class DiskFull {

  private static final int TABLE_FULL = 1114;

  private static final Set<Integer> CODES =
      Set.of(
          1021, // disk full
          TABLE_FULL);

  /** For files that are not tables, the error code differs with the way they are written. */
  private static final String NO_SPACE = "No space left on device";

  /** A query's temporary table that exceeds the limit of a query. */
  private static final String TEMPORARY = "#sql";

  private DiskFull() {}

  /** Whether {@code error} says that the server has no space left. */
  static boolean is(SQLException error) {
    String words = error.getMessage() == null ? "" : error.getMessage();
    boolean ofQuery = error.getErrorCode() == TABLE_FULL && words.contains(TEMPORARY);
    return (CODES.contains(error.getErrorCode()) && !ofQuery) || words.contains(NO_SPACE);
  }
}
