package io.rowqueue.internal.handle;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a statement of the handler's own, after which the message's transaction cannot
 * commit: if it stays so, it is a failed attempt, which answers to RowQueue's statements never are.
 */
final class DoomedException extends Exception {

  private static final long serialVersionUID = 1L;
  private static final int DEEPEST = 20;

  DoomedException(SQLException answer) {
    super(answer.getMessage(), answer);
  }

  /** Whether {@code failure} goes back to one. */
  static boolean isIn(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof DoomedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
