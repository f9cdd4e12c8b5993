package io.rowqueue.internal.handle;

import io.rowqueue.internal.database.TransientFailures;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The first SQL error after which a handler's transaction must not commit, even if the handler
 * caught the exception. Confined to the handler's thread.
 */
final class RollbackCause {

  private @Nullable SQLException error;

  /** Inspects an error of the connection, and returns it. */
  SQLException record(SQLException passing) {
    if (error == null && TransientFailures.requiresRollback(passing)) {
      error = passing;
    }
    return passing;
  }

  /** Null if there was none so far. */
  @Nullable SQLException error() {
    return error;
  }
}
