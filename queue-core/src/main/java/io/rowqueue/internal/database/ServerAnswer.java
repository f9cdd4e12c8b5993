package io.rowqueue.internal.database;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What the server has answered, among the causes of a failure. */
public final class ServerAnswer {

  private static final int DEEPEST = 20;

  /** MariaDB with innodb_snapshot_isolation, in REPEATABLE READ. */
  static final int CHANGED_SINCE_SNAPSHOT = 1020;

  /** Group Replication; the size of a transaction is limited there. */
  static final int NOT_BROADCAST = 3100;

  private ServerAnswer() {}

  /** The outermost answer; null if {@code failure} has none. */
  static @Nullable SQLException in(@Nullable Throwable failure) {
    Throwable current = failure;
    for (int depth = 0; current != null && depth < DEEPEST; depth++) {
      if (current instanceof SQLException error) {
        return error;
      }
      current = current.getCause();
    }
    return null;
  }

  /** The end of a message about {@code failure}: what to do about it; empty if nobody can say. */
  public static String advice(Throwable failure) {
    SQLException error = in(failure);
    if (error != null && MissingPrivilege.is(error)) {
      return "; `queue-worker grants` prints what each account needs, an administrator runs it";
    }
    if (error != null && DiskFull.is(error)) {
      return "; the server has no room left: make some on its disk";
    }
    if (error != null && error.getErrorCode() == CHANGED_SINCE_SNAPSHOT) {
      return "; roll back and run the whole transaction again, or use READ COMMITTED";
    }
    if (error != null && error.getErrorCode() == NOT_BROADCAST) {
      return "; Group Replication says so if a member is left alone, and of a transaction that is"
          + " larger than group_replication_transaction_size_limit";
    }
    return "";
  }
}
