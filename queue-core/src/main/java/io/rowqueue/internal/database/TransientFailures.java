package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes transient failures, which a repeated transaction may not meet again, from permanent
 * ones. Thread-safe.
 *
 * <p>The codes are the servers' own. Those that a fail-over or a second writer causes were measured
 * on Group Replication and Galera.
 */
public final class TransientFailures {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int NOT_IN_PRIMARY_COMPONENT = 1047;
  private static final int ERROR_DURING_COMMIT = 1180;
  private static final int OPTION_PREVENTS = 1290;
  private static final int READ_ONLY_MODE = 1836;

  /** Resources that the server lacks for all clients, so the statement is not at fault. */
  private static final Set<Integer> RESOURCES =
      Set.of(
          1037, // memory
          1038, // memory to sort
          1041, // memory
          1135, // threads
          1203, // connections of the account
          1226, // what the account may use in an hour
          1461); // prepared statements

  /**
   * Codes after which the server has rolled the transaction back, or accepts no writes at the
   * moment.
   */
  private static final Set<Integer> PASSING =
      Set.of(
          DEADLOCK,
          LOCK_WAIT_TIMEOUT,
          ServerAnswer.CHANGED_SINCE_SNAPSHOT,
          1040, // too many connections
          NOT_IN_PRIMARY_COMPONENT, // Galera
          1053, // server shutdown in progress
          ERROR_DURING_COMMIT, // conflicts of Galera and Group Replication
          OPTION_PREVENTS, // read-only for a while
          1792, // read-only transaction
          READ_ONLY_MODE,
          1927, // MariaDB: connection was killed
          3032, // server is offline
          ServerAnswer.NOT_BROADCAST, // Group Replication
          3101); // Group Replication: conflicting transaction

  /** Errors of a server that accepts no writes at the moment, although another one may. */
  private static final Set<Integer> READ_ONLY =
      Set.of(1792, READ_ONLY_MODE, ServerAnswer.NOT_BROADCAST, NOT_IN_PRIMARY_COMPONENT);

  /**
   * The state of every illegal use of the driver, including writes that the driver itself refuses.
   */
  private static final String ILLEGAL_USE = "S1009";

  /** The state of killed statements and connections: 1317, and on MariaDB 1927 and 1969. */
  private static final String INTERRUPTED = "70100";

  private TransientFailures() {}

  /** Whether the transaction may succeed when it is repeated as a whole. */
  public static boolean isTransient(@Nullable Throwable failure) {
    if (failure instanceof WorkFailure) {
      return false;
    }
    SQLException error = ServerAnswer.in(failure);
    return error != null && isTransient(error);
  }

  /**
   * Whether {@code error} means that the server has undone a part of the transaction, so that
   * continuing would keep only half of the work, or that it has no space for the rest.
   */
  public static boolean requiresRollback(SQLException error) {
    return isTransient(error) || DiskFull.is(error);
  }

  /**
   * Whether {@code error} means that the connection leads to a server that accepts no writes at the
   * moment: a secondary, a server that has left its cluster, or a secondary to which the driver
   * switched by itself. Such a connection is still valid, so its pool must be told to evict it.
   */
  public static boolean isReadOnly(SQLException error) {
    return READ_ONLY.contains(error.getErrorCode())
        || isReadOnlyOption(error)
        || (ILLEGAL_USE.equals(error.getSQLState()) && says(error, "read-only"));
  }

  /**
   * Whether no writable database was available, or it lacked space or resources, so that nothing of
   * the transaction can have been kept and its work is not at fault. A connection lost during the
   * transaction does not count: the work itself may have caused it, by a packet that is too large.
   */
  public static boolean isUnavailable(Throwable failure) {
    SQLException error = failure instanceof WorkFailure ? null : ServerAnswer.in(failure);
    return error != null
        && (error instanceof SQLTransientConnectionException
            || DiskFull.is(error)
            || RESOURCES.contains(error.getErrorCode())
            || error.getErrorCode() == READ_ONLY_MODE
            || error.getErrorCode() == NOT_IN_PRIMARY_COMPONENT
            || isReadOnlyOption(error));
  }

  /**
   * Whether the server refused the request and would refuse it again: the statement, its data or
   * the account's privileges are at fault. An error without a code did not come from the server,
   * but for example from a closed pool.
   */
  public static boolean isRefusal(Throwable failure) {
    SQLException error = failure instanceof WorkFailure ? null : ServerAnswer.in(failure);
    return error != null && error.getErrorCode() != 0 && !requiresRollback(error);
  }

  /**
   * Whether {@code failure} is the server's or the connection's and says nothing about what was
   * sent, so that other statements would fail likewise.
   */
  public static boolean isOutage(Throwable failure) {
    boolean bySql = !(failure instanceof WorkFailure) && ServerAnswer.in(failure) != null;
    return bySql && !isRefusal(failure);
  }

  /** Whether the server has no space for what was sent; a smaller change may still succeed. */
  public static boolean isFull(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    return error != null && DiskFull.is(error);
  }

  /** Whether a cluster may have refused a COMMIT because its transaction is too large. */
  static boolean mayBeTooLarge(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    return error != null
        && (error.getErrorCode() == ServerAnswer.NOT_BROADCAST
            || (error.getErrorCode() == ERROR_DURING_COMMIT && !says(error, "Not connected")));
  }

  /**
   * Whether {@code error}, although fatal for the transaction, leaves it open: the server has
   * undone only one statement.
   */
  public static boolean keepsTransaction(SQLException error) {
    return error.getErrorCode() == LOCK_WAIT_TIMEOUT
        || error instanceof SQLTimeoutException
        || DiskFull.is(error);
  }

  /** The same code covers other options, which prevent statements permanently. */
  private static boolean isReadOnlyOption(SQLException error) {
    return error.getErrorCode() == OPTION_PREVENTS && says(error, "read-only");
  }

  /**
   * Whether an error of COMMIT, or of a statement that commits by itself, leaves open whether it
   * happened. A server that was told to kill the connection or the statement may report that after
   * a COMMIT that succeeded; an error that does not come from the server comes from a pool or a
   * proxy.
   */
  public static boolean leavesCommitOpen(Exception failure) {
    SQLException error = ServerAnswer.in(failure);
    return error == null
        || connectionLost(error)
        || clusterLost(error)
        || error instanceof SQLTimeoutException
        || INTERRUPTED.equals(error.getSQLState());
  }

  /**
   * A server that lost its cluster during a COMMIT; Galera reports it with the code of conflicts.
   */
  private static boolean clusterLost(SQLException error) {
    return error.getErrorCode() == ServerAnswer.NOT_BROADCAST
        || error.getErrorCode() == NOT_IN_PRIMARY_COMPONENT
        || (error.getErrorCode() == ERROR_DURING_COMMIT && says(error, "Not connected"));
  }

  private static boolean says(SQLException error, String words) {
    return error.getMessage() != null && error.getMessage().contains(words);
  }

  private static boolean isTransient(SQLException error) {
    return PASSING.contains(error.getErrorCode())
        || RESOURCES.contains(error.getErrorCode())
        || isReadOnly(error)
        || connectionLost(error)
        || error instanceof SQLTransientException
        || "40001".equals(error.getSQLState());
  }

  private static boolean connectionLost(SQLException error) {
    return error instanceof SQLRecoverableException
        || (error instanceof SQLNonTransientConnectionException && error.getErrorCode() != 1045)
        || (error.getSQLState() != null && error.getSQLState().startsWith("08"));
  }
}
