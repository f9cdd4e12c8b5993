package io.rowqueue.database;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the failures that pass, when the whole transaction is run again, from those that stay.
 * Thread-safe.
 *
 * <p>The codes are the servers' own; which of them a fail-over or a second writer brings was
 * measured on Group Replication and Galera and is listed in {@code docs/design-decisions.md}.
 */
public final class TransientFailures {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;

  /** Codes after which the server has rolled the transaction back, or takes no writes just now. */
  private static final Set<Integer> PASSING =
      Set.of(
          DEADLOCK,
          LOCK_WAIT_TIMEOUT,
          1040, // too many connections
          1047, // Galera: not connected to the primary component
          1053, // server shutdown in progress
          1180, // error during commit: Galera and Group Replication conflicts
          1290, // read-only for a while
          1792, // read-only transaction
          1836, // read-only mode
          1927, // MariaDB: connection was killed
          3032, // server is offline
          3100, // Group Replication: could not be broadcast
          3101); // Group Replication: conflicting transaction

  private TransientFailures() {}

  /** Whether running the whole transaction again may succeed. */
  public static boolean isTransient(@Nullable Throwable failure) {
    if (failure instanceof WorkFailure) {
      return false;
    }
    SQLException error = sqlError(failure);
    return error != null && isTransient(error);
  }

  /**
   * Whether {@code error} means that the server has undone something of the transaction, so that
   * going on with it would keep only half of the work.
   */
  public static boolean dooms(SQLException error) {
    return isTransient(error);
  }

  /** Whether the failure leaves open what the server did with the statement. */
  static boolean isConnectionLost(@Nullable Throwable failure) {
    SQLException error = sqlError(failure);
    return error != null
        && (connectionLost(error) || error.getErrorCode() == 3100 || error.getErrorCode() == 1047);
  }

  private static boolean isTransient(SQLException error) {
    return PASSING.contains(error.getErrorCode())
        || connectionLost(error)
        || error instanceof SQLTransientException
        || "40001".equals(error.getSQLState());
  }

  private static boolean connectionLost(SQLException error) {
    return error instanceof SQLRecoverableException
        || (error instanceof SQLNonTransientConnectionException && error.getErrorCode() != 1045)
        || (error.getSQLState() != null && error.getSQLState().startsWith("08"));
  }

  private static @Nullable SQLException sqlError(@Nullable Throwable failure) {
    Throwable current = failure;
    for (int depth = 0; current != null && depth < 20; depth++) {
      if (current instanceof SQLException error) {
        return error;
      }
      current = current.getCause();
    }
    return null;
  }
}
