package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;

/** Finds the server's error among the causes of a failure. */
public final class ServerAnswer {

  private static final int DEEPEST = 20;

  /** MariaDB with innodb_snapshot_isolation, in REPEATABLE READ. */
  static final int CHANGED_SINCE_SNAPSHOT = 1020;

  /** Group Replication; it limits the size of a transaction. */
  static final int NOT_BROADCAST = 3100;

  private ServerAnswer() {}

  /** The outermost server error; null if {@code failure} has none. */
  public static @Nullable SQLException in(@Nullable Throwable failure) {
    Throwable current = failure;
    for (int depth = 0; current != null && depth < DEEPEST; depth++) {
      if (current instanceof SQLException error) {
        return error;
      }
      current = current.getCause();
    }
    return null;
  }

  /** Whether {@code failure} is jOOQ's; by name, since producers do without jOOQ. */
  static boolean isOfJooq(RuntimeException failure) {
    return failure.getClass().getPackageName().equals("org.jooq.exception");
  }

  /** Advice to append to a message about {@code failure}; empty if there is none. */
  public static String advice(Throwable failure) {
    SQLException error = in(failure);
    if (error != null && MissingPrivilege.is(error)) {
      return "; `queue-worker grants` prints what each account needs, an administrator runs it";
    }
    if (error != null && DiskFull.is(error)) {
      return "; the server has no space left: free some on its disk";
    }
    if (error != null && error.getErrorCode() == CHANGED_SINCE_SNAPSHOT) {
      return "; roll back and repeat the whole transaction, or use READ COMMITTED";
    }
    if (error != null && error.getErrorCode() == NOT_BROADCAST) {
      return "; Group Replication reports this if a member is isolated, and for a transaction that"
          + " is larger than group_replication_transaction_size_limit";
    }
    if (error instanceof SQLTransientConnectionException
        && error.getCause() instanceof SQLException refusal) {
      // A pool's own text says only that it has waited.
      return ": " + String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
    }
    return "";
  }
}
