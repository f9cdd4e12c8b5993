package io.rowqueue.internal.handle;

import io.rowqueue.internal.database.TransientFailures;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The first error after which a handler's transaction must not commit, whatever became of the
 * exception. Confined to the handler's thread.
 */
final class Doom {

  private @Nullable SQLException error;

  /** Looks at an error of the connection, and gives it back. */
  SQLException seen(SQLException passing) {
    if (error == null && TransientFailures.dooms(passing)) {
      error = passing;
    }
    return passing;
  }

  /** Null if there was none so far. */
  @Nullable SQLException error() {
    return error;
  }
}
