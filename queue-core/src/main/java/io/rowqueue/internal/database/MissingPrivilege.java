package io.rowqueue.internal.database;

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
    SQLException error = ServerAnswer.in(failure);
    return error != null && is(error);
  }

  static boolean is(SQLException error) {
    return CODES.contains(error.getErrorCode());
  }
}
