package io.rowqueue.internal.database;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * An error of one of the handler's own statements after which the message's transaction cannot
 * commit. If retries do not help, it counts as a failed attempt; errors of RowQueue's own
 * statements never do.
 */
public final class RollbackRequiredException extends Exception {

  private static final long serialVersionUID = 1L;
  private static final int DEEPEST = 20;

  /** {@code answer} is the server's. */
  public RollbackRequiredException(SQLException answer) {
    super(answer.getMessage(), answer);
  }

  /** Whether {@code failure} was caused by one. */
  public static boolean isIn(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof RollbackRequiredException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
