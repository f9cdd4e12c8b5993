package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.util.Set;

/**
 * Recognizes statements that were refused for lack of a privilege. The server's message names
 * privilege, account and table; this adds how to print the grants.
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

  /** Whether the server has refused a statement because of this account's privileges. */
  public static boolean isIn(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    return error != null && is(error);
  }

  static boolean is(SQLException error) {
    return CODES.contains(error.getErrorCode());
  }
}
