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
 * Tells the failures that pass, when the whole transaction is run again, from those that stay.
 * Thread-safe.
 *
 * <p>The codes are the servers' own; which of them a fail-over or a second writer brings was
 * measured on Group Replication and Galera.
 */
public final class TransientFailures {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int NOT_IN_PRIMARY_COMPONENT = 1047;
  private static final int ERROR_DURING_COMMIT = 1180;
  private static final int OPTION_PREVENTS = 1290;
  private static final int READ_ONLY_MODE = 1836;

  /** What the server lacks for everybody, which says nothing about the statement that met it. */
  private static final Set<Integer> RESOURCES =
      Set.of(
          1037, // memory
          1038, // memory to sort
          1041, // memory
          1135, // threads
          1203, // connections of the account
          1226, // what the account may use in an hour
          1461); // prepared statements

  /** Codes after which the server has rolled the transaction back, or takes no writes just now. */
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

  /** What a server answers that takes no writes just now, though another one may. */
  private static final Set<Integer> READ_ONLY =
      Set.of(1792, READ_ONLY_MODE, ServerAnswer.NOT_BROADCAST, NOT_IN_PRIMARY_COMPONENT);

  /** The state of every illegal use of the driver, its refusal to write among them. */
  private static final String ILLEGAL_USE = "S1009";

  /** The state of what was killed: 1317, and on MariaDB 1927 and 1969. */
  private static final String INTERRUPTED = "70100";

  private TransientFailures() {}

  /** Whether running the whole transaction again may succeed. */
  public static boolean isTransient(@Nullable Throwable failure) {
    if (failure instanceof WorkFailure) {
      return false;
    }
    SQLException error = ServerAnswer.in(failure);
    return error != null && isTransient(error);
  }

  /**
   * Whether {@code error} means that the server has undone something of the transaction, so that
   * going on with it would keep only half of the work; or that it has no room for the rest of it.
   */
  public static boolean dooms(SQLException error) {
    return isTransient(error) || DiskFull.is(error);
  }

  /**
   * Whether {@code error} tells that the connection leads where no writes are taken just now: a
   * secondary, a server that has left its cluster, or a driver that went to one by itself. The
   * connection is valid all the same, so a pool has to be told to evict it.
   */
  public static boolean isReadOnly(SQLException error) {
    return READ_ONLY.contains(error.getErrorCode())
        || isReadOnlyOption(error)
        || (ILLEGAL_USE.equals(error.getSQLState()) && says(error, "read-only"));
  }

  /**
   * Whether no database that takes writes could be had, or none with room or resources for them, so
   * that nothing of a transaction can have been kept, and the work in it is not to blame. A
   * connection that was lost half-way is none of these: the work itself may have cost it, by a
   * packet that is too large.
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
   * Whether the server has refused what it was sent, and would refuse it again: the statement, its
   * data or the account's privileges are to blame. What has no code was not the server's answer: a
   * pool that is closed, for example.
   */
  public static boolean isRefusal(Throwable failure) {
    SQLException error = failure instanceof WorkFailure ? null : ServerAnswer.in(failure);
    return error != null && error.getErrorCode() != 0 && !dooms(error);
  }

  /**
   * Whether {@code error}, though it dooms, leaves the transaction open: the server has undone one
   * statement of it only.
   */
  public static boolean keepsTransaction(SQLException error) {
    return error.getErrorCode() == LOCK_WAIT_TIMEOUT
        || error instanceof SQLTimeoutException
        || DiskFull.is(error);
  }

  /** Other options prevent other statements under the same code, and for good. */
  private static boolean isReadOnlyOption(SQLException error) {
    return error.getErrorCode() == OPTION_PREVENTS && says(error, "read-only");
  }

  /**
   * Whether the answer to a COMMIT leaves open whether it happened. A server that was told to end
   * the connection or the statement may say so behind a COMMIT that it has done; what is no answer
   * of a server comes from a pool or a proxy.
   */
  static boolean leavesCommitOpen(Exception failure) {
    SQLException error = ServerAnswer.in(failure);
    return error == null
        || connectionLost(error)
        || clusterLost(error)
        || error instanceof SQLTimeoutException
        || INTERRUPTED.equals(error.getSQLState());
  }

  /** A server that lost its cluster during a COMMIT; Galera says so under the code of conflicts. */
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
