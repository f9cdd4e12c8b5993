package io.rowqueue.database;

import java.sql.SQLException;
import java.util.Set;

/**
 * Tells a refused statement from other failures: the server names privilege, account and table, and
 * this says where the grants are.
 */
public final class MissingPrivilege {

  private static final Set<Integer> CODES =
      Set.of(
          1044, // the schema
          1142, // the table
          1143, // a column
          1227, // the whole server
          1370); // a routine

  private MissingPrivilege() {}

  /** Whether the server has refused a statement to this account. */
  public static boolean isIn(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof SQLException error) {
        return CODES.contains(error.getErrorCode());
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** The end of a message about {@code failure}: what to do about it; empty for other failures. */
  public static String advice(Throwable failure) {
    return isIn(failure)
        ? "; `queue-worker grants` prints what each account needs, an administrator runs it"
        : "";
  }
}
